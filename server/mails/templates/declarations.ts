import { toTheSecond } from '#contract/selling/declaration-texts.ts'
import { buttons } from '#contract/selling/legal/consumer-law.ts'
import type { DeclarationKind } from '#contract/statuses.ts'
import { inert, inertLine } from '../inert.ts'
import { day, greeting, type MailSite, type Template } from '../template.ts'

type Declared = {
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

/** For a mailbox that may be anyone's. */
const contentForOthers = (data: Declared) => {
  const contract = data.contract === data.email ? data.contract : inertLine(data.contract)
  return content({ ...data, name: inertLine(data.name), contract })
}

const content = (data: Declared): [string, string][] => [
  [
    'Declaration',
    data.kind === 'withdrawal' ? 'Withdrawal from the contract' : 'Cancellation of the contract',
  ],
  ...(data.kind === 'cancellation'
    ? ([
        ['Kind', data.forCause ? 'For good cause' : 'Ordinary'],
        ['To end', data.endsOn ? `on ${day(data.endsOn)}` : 'as soon as possible'],
      ] as [string, string][])
    : []),
  ['Name', data.name],
  ['Contract', data.contract],
  ['Email for this receipt', data.email],
  ['Received', toTheSecond(data.declaredAt)],
]

const confirmLink = (id: string, { publicUrl, linkToken }: MailSite) =>
  `${publicUrl}/declarations/confirm?id=${id}&token=${linkToken('declaration', id)}`

const confirmLabel = (kind: DeclarationKind) =>
  (kind === 'withdrawal' ? buttons.confirmWithdrawal : buttons.cancelNow).en

/** Sent to anyone who declared it, whether or not there is such a contract: it must not tell. */
const declarationReceived: Template<Declared & { withLink: boolean }> = (data, site) => {
  const noun = data.kind === 'withdrawal' ? 'withdrawal' : 'cancellation'
  return {
    subject: `We’ve received your ${noun}`,
    preheader: `It counts from ${toTheSecond(data.declaredAt)}.`,
    paragraphs: [
      `This is your receipt. Your ${noun} counts from the time below, to the second. Please keep this email.`,
      data.withLink
        ? 'You bought with this email address, so one click carries it out right away.'
        : 'If you were logged in, we carry it out right away. Otherwise, we’ve sent a link to the email address it was bought with, if there is one; without a click, a person checks it within 14 days.',
    ],
    ...(data.reason ? { quote: inert(data.reason) } : {}),
    details: contentForOthers(data),
    ...(data.withLink ? { action: { label: confirmLabel(data.kind), url: confirmLink(data.id, site) } } : {}),
    footnote: `Wasn’t this you? Someone must have typed your address. Reply to this email, and we’ll look into it.`,
  }
}

/** To the address of the purchase, when someone else's address was given for the receipt. */
const declarationToConfirm: Template<{
  id: string
  kind: DeclarationKind
  name: string
  declaredBy: string
  declaredAt: string
}> = (data, site) => {
  const noun = data.kind === 'withdrawal' ? 'withdrawal' : 'cancellation'
  return {
    subject: `Please confirm your ${noun}`,
    preheader: 'If it wasn’t you, there’s nothing to do.',
    heading: `Did you send this ${noun}?`,
    paragraphs: [
      greeting(data.name),
      `Someone who wasn’t logged in sent us a ${noun} for your contract. If it was you, one click carries it out right away, and it counts from the time below.`,
      'If it wasn’t you, there’s nothing to do: nothing happens to your contract, and we’ve told nobody that it exists.',
    ],
    details: [
      ['Name given', inertLine(data.declaredBy)],
      ['Received', toTheSecond(data.declaredAt)],
    ],
    action: { label: confirmLabel(data.kind), url: confirmLink(data.id, site) },
  }
}

/** To the seller: too late, for good cause, or about a contract that we can't find. */
const declarationWaits: Template<Declared> = (data, { publicUrl }) => ({
  subject: `Waiting for you: a ${data.kind}`,
  preheader: `${data.name} declared it, and the shop can’t decide it alone.`,
  heading: `A ${data.kind} is waiting for you`,
  paragraphs: [
    'It’s for good cause, after the 14 days, or about a contract the shop can’t find, so a person must look at it. By law, you have 14 days to act on it.',
  ],
  ...(data.reason ? { quote: data.reason } : {}),
  details: content(data),
  action: { label: 'Open the declarations', url: `${publicUrl}/admin/purchases/declarations` },
  footnote: 'Your reply goes to the person who declared it.',
  replyTo: { name: data.name, address: data.email },
})

/** To the seller, three days after a declaration whose link was not clicked. */
const declarationUnconfirmed: Template<Declared & { dueAt: string }> = (data, { publicUrl }) => ({
  subject: `Not confirmed: a ${data.kind}, due by ${day(data.dueAt)}`,
  preheader: `${data.name} declared it, and nobody has clicked the link.`,
  heading: `A ${data.kind} is still not confirmed`,
  paragraphs: [
    `We emailed a link to the address of the contract, and nobody has clicked it for three days, or the link no longer works. So a person must look at it: check who declared it, then carry it out or close it by ${day(data.dueAt)}. After that day, the link carries out nothing anymore.`,
  ],
  ...(data.reason ? { quote: data.reason } : {}),
  details: [...content(data), ['Due by', day(data.dueAt)]],
  action: { label: 'Open the declarations', url: `${publicUrl}/admin/purchases/declarations?state=open` },
  footnote: 'Your reply goes to the person who declared it.',
  replyTo: { name: data.name, address: data.email },
})

export const declarationMails = {
  declarationReceived,
  declarationToConfirm,
  declarationWaits,
  declarationUnconfirmed,
}
