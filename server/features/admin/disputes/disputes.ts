import type { ParsedInputOf, RawOutputOf } from '#contract/endpoint.ts'
import { exactDollars } from '#contract/money.ts'
import { type disputes as contract, filesFor, isAnswerable, isDecided, textsFor } from '#contract/selling/disputes.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { DisputeAnswer } from '#server/database/schema.ts'
import { pdfOf } from '#server/features/selling/disputes/disputes.ts'
import type { Areas } from '../areas.ts'
import { countryName, createCollectFacts, type DisputeFacts } from './collect-facts.ts'
import { draftEvidence, firstUnlock, periodOf, timeOf } from './draft-evidence.ts'

type AnswerInput = Omit<ParsedInputOf<typeof contract.adminSave>, 'id'>

export type DisputeScreen = {
  /** Throws 404. Reads only the shop's records, not Stripe. */
  show(id: string): Promise<RawOutputOf<typeof contract.adminShow>>
  save(id: string, answer: AnswerInput): Promise<void>
  /** Sends the answer to the bank, with files made from the current records. */
  submit(actor: Actor, id: string, answer: AnswerInput): Promise<void>
}

export function createDisputeScreen(
  context: Pick<Context, 'db' | 'mails' | 'catalog' | 'site'>,
  areas: Areas,
): DisputeScreen {
  const { disputes } = areas.selling
  const collectFacts = createCollectFacts(context, areas)
  const draftOf = (facts: DisputeFacts) => draftEvidence(facts, context.site)

  return {
    async show(id) {
      const facts = await collectFacts(await disputes.find(id))
      const { reason, status, amount, openedAt, dueAt, submittedAt, savedAt, fault, answer } = facts.dispute
      const { id: userId, name, email, isDeleted } = facts.buyer
      const draft = draftOf(facts)
      const textNames = answer !== null || isAnswerable(status) ? textsFor(reason) : []
      const fileNames = isDecided(status) ? [] : filesFor(reason).filter((file) => draft.files[file] !== '')
      const texts = answer?.texts ?? draft.texts
      return {
        id,
        reason,
        status,
        amount,
        openedAt,
        dueAt,
        submittedAt,
        savedAt,
        fault,
        customer: isDeleted ? null : { id: userId, name, email },
        facts: factsInWords(facts),
        texts: textNames.map((textName) => ({ name: textName, value: texts[textName] ?? '' })),
        files: fileNames.map((file) => ({
          name: file,
          content: draft.files[file],
          isIncluded: answer?.files.includes(file) ?? true,
        })),
      }
    },

    save: (id, answer) => disputes.save(id, withoutEmptyTexts(answer)),

    async submit(actor, id, answer) {
      const facts = await collectFacts(await disputes.find(id))
      const { files } = draftOf(facts)
      const includedFiles = filesFor(facts.dispute.reason).filter(
        (file) => answer.files.includes(file) && files[file] !== '',
      )
      const pdfs = includedFiles.map((file) => ({ name: file, pdf: pdfOf(files[file]) }))
      await disputes.submit(actor, id, withoutEmptyTexts(answer), pdfs)
    },
  }
}

const withoutEmptyTexts = ({ texts, files }: AnswerInput): DisputeAnswer => ({
  texts: Object.fromEntries(Object.entries(texts).filter(([, value]) => value)),
  files,
})

function factsInWords(facts: DisputeFacts) {
  const { order, payment, product, logins, access, messages, emails, invoice } = facts
  const lastLogin = logins.at(-1)
  const unlocked = firstUnlock(facts)
  const rows: [label: string, value: string][] = [
    ['Payment', `${exactDollars(payment.amount)}, ${timeOf(payment.paidAt)}`],
    ['For', [product.name, periodOf(payment)].filter(Boolean).join(', ')],
    ['Invoice', invoice.number ?? invoice.id],
    ['Terms accepted', order?.agreedAt ? `${timeOf(order.agreedAt)}, version ${order.termsVersion}` : 'not recorded'],
    ['IP address of the order', order?.ip ?? 'no longer kept'],
    ['Country', countryName(order?.country ?? payment.country) ?? 'unknown'],
    ['Country of the card', countryName(order?.cardCountry) ?? 'unknown'],
    ['Access unlocked', unlocked ? timeOf(unlocked.at) : 'never'],
    ['Access events', String(access.length)],
    [
      'Logins',
      lastLogin ? `${logins.length}, the last on ${timeOf(lastLogin.at)} from ${lastLogin.ip}` : 'none in 90 days',
    ],
    ['Messages', String(messages.length)],
    ['Emails', `${emails.length} in the last 30 days`],
  ]
  return rows.map(([label, value]) => ({ label, value }))
}
