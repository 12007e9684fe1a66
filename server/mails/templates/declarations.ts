import { dayInWords } from '#contract/dates.ts'
import { formatToTheSecond } from '#contract/selling/declaration-texts.ts'
import { buttons } from '#contract/selling/legal/consumer-law.ts'
import type { DeclarationKind } from '#contract/statuses.ts'
import { inert, inertLine } from '../inert.ts'
import { type Action, type Detail, greeting, type MailSite, type Templates } from '../template.ts'

type DeclarationData = {
  id: string
  kind: DeclarationKind
  name: string
  contract: string
  email: string
  forCause: boolean
  reason: string | null
  endsOn: string | null
  declaredAt: string
}

type UnconfirmedDeclaration = Pick<DeclarationData, 'id' | 'kind' | 'name' | 'declaredAt'> & { declaredBy: string }

const contentOf = (data: DeclarationData): (Detail | false)[] => [
  ['Declaration', data.kind === 'withdrawal' ? 'Withdrawal from the contract' : 'Cancellation of the contract'],
  data.kind === 'cancellation' && ['Kind', data.forCause ? 'For good cause' : 'Ordinary'],
  data.kind === 'cancellation' && ['To end', data.endsOn ? `on ${dayInWords(data.endsOn)}` : 'as soon as possible'],
  ['Name', inertLine(data.name)],
  ['Contract', data.contract === data.email ? data.contract : inertLine(data.contract)],
  ['Email for this receipt', data.email],
  ['Received', formatToTheSecond(data.declaredAt)],
]

const confirmAction = ({ id, kind }: Pick<DeclarationData, 'id' | 'kind'>, { linkToken }: MailSite): Action => [
  (kind === 'withdrawal' ? buttons.confirmWithdrawal : buttons.cancelNow).en,
  `/declarations/confirm?id=${id}&token=${linkToken('declaration', id)}`,
]

function effectOf({ withLink, isOwner, forCause }: Record<'withLink' | 'isOwner' | 'forCause', boolean>): string {
  if (forCause) return 'For a good cause, a person checks it within 14 days.'
  if (withLink) return 'You bought with this email address, so one click is enough: it takes effect right away.'
  if (isOwner) return 'You were logged in, so it takes effect right away.'
  return 'We’ve sent a link to the email address it was bought with, if there is one; without a click, a person checks it within 14 days.'
}

function reasonForWaiting({ isKnown, forCause }: { isKnown: boolean; forCause: boolean }): string {
  if (!isKnown) return 'We couldn’t find this contract.'
  return forCause ? 'It’s for good cause.' : 'It came after the 14 days, or was paid elsewhere.'
}

export const declarationMails = {
  /** Goes to everyone who declares something, so that it does not reveal whether the contract exists. */
  declarationReceived: (data: DeclarationData & { isOwner: boolean; withLink: boolean }, site) => ({
    subject: `We’ve received your ${data.kind}`,
    paragraphs: [
      `This is your receipt. Your ${data.kind} counts from the time below, to the second. Please keep this email.`,
      effectOf(data),
    ],
    quote: data.reason && inert(data.reason),
    details: contentOf(data),
    action: data.withLink && confirmAction(data, site),
    footnote: `Wasn’t this you? Someone must have typed your address. Reply to this email, and we’ll look into it.`,
  }),
  /** Goes to the address of the purchase, when another one was given for the receipt. */
  declarationToConfirm: (data: UnconfirmedDeclaration, site) => ({
    subject: `Please confirm your ${data.kind}`,
    paragraphs: [
      greeting(data.name),
      `Someone who wasn’t logged in sent us a ${data.kind} for your contract. If it was you, one click is enough: it takes effect right away and counts from the time below.`,
      'If it wasn’t you, there’s nothing to do: nothing happens to your contract, and we’ve told nobody that it exists.',
    ],
    details: [
      ['Name given', inertLine(data.declaredBy)],
      ['Received', formatToTheSecond(data.declaredAt)],
    ],
    action: confirmAction(data, site),
  }),
  /** For the seller: a contract that the shop can't find, a good cause, or nothing that it can refund. */
  declarationWaits: (data: DeclarationData & { isKnown: boolean }) => ({
    subject: `Action needed: ${data.kind} from ${inertLine(data.name)}`,
    paragraphs: [`${reasonForWaiting(data)} By law, you have 14 days to act on it.`],
    quote: data.reason && inert(data.reason),
    details: contentOf(data),
    action: ['Open the declarations', '/admin/purchases/declarations'],
    footnote: 'Your reply goes to the person who declared it.',
    replyTo: { name: data.name, address: data.email },
  }),
  withdrawnAgain: ({ email, customerId, count }: { email: string; customerId: string; count: number }) => ({
    subject: `Withdrawal no. ${count}: ${email}`,
    paragraphs: [
      `${email}, or someone with the same card, has now withdrawn from a contract ${count} times. Everything was refunded, as required by law; Stripe keeps its fees each time.`,
      'There is nothing you have to do. If you don’t want to sell to this person again, decline their next access request.',
    ],
    action: ['Open the customer', `/admin/customers/${customerId}`],
  }),
  declarationUnconfirmed: (data: DeclarationData & { dueAt: string }) => ({
    subject: `Not confirmed: a ${data.kind}, due by ${dayInWords(data.dueAt)}`,
    paragraphs: [
      `We emailed a link to the address of the contract, and no one has clicked it for three days, or the link no longer works. So it’s yours to decide: check the sender, then do it or close it by ${dayInWords(data.dueAt)}. After that day, the link no longer works.`,
    ],
    quote: data.reason && inert(data.reason),
    details: [...contentOf(data), ['Due by', dayInWords(data.dueAt)]],
    action: ['Open the declarations', '/admin/purchases/declarations?state=open'],
    footnote: 'Your reply goes to the person who declared it.',
    replyTo: { name: data.name, address: data.email },
  }),
} satisfies Templates
