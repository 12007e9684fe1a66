import type { DeclarationKind } from '../statuses.ts'
import type { NextStep } from './declarations.ts'
import { buttons } from './legal/consumer-law.ts'

/** A receipt must state to the second when the declaration arrived. */
export const formatToTheSecond = (at: string | Date) =>
  new Date(at).toLocaleString('en-US', { dateStyle: 'medium', timeStyle: 'long', timeZone: 'UTC' })

export function receivedText(kind: DeclarationKind, next: NextStep, email: string) {
  const button = kind === 'withdrawal' ? buttons.confirmWithdrawal.en : buttons.cancelNow.en
  const linesByStep: Record<NextStep, string[]> = {
    click: [
      `We’ve emailed ${email}. Press “${button}” in that email to finish now.`,
      'Bought with another address? The link is there.',
      'No click? A person checks it within 14 days. It counts from the time below either way.',
    ],
    none: [
      kind === 'withdrawal'
        ? 'It takes effect now, and your money goes back to your card. There’s nothing left to do.'
        : 'It takes effect now; there’s nothing left to do.',
      `We’ve emailed a receipt to ${email}.`,
    ],
    person: [`A person checks it within 14 days. It counts from the time below. We’ve emailed a receipt to ${email}.`],
  }
  return { title: next === 'click' ? 'One click left' : `We’ve received your ${kind}`, lines: linesByStep[next] }
}

/** The same in one paragraph, for a page without scripts. */
export function receivedLine(
  kind: DeclarationKind,
  { declaredAt, next }: { declaredAt: Date; next: NextStep },
  email: string,
) {
  const { title, lines } = receivedText(kind, next, email)
  return [`${title}.`, ...lines, `Received: ${formatToTheSecond(declaredAt)}.`].join(' ')
}

export const endedLinkText = ({ kind, declaredAt }: { kind: DeclarationKind; declaredAt: Date }) =>
  `This link no longer works, so nothing was changed or refunded. We’ve kept your ${kind} of ${formatToTheSecond(declaredAt)}, and we’ll check it ourselves. Please reply to our email if you have questions.`
