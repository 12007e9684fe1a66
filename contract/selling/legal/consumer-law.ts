/**
 * Texts that EU law requires for consumers, in one place for a lawyer to read. German labels are the words of
 * §§ 312k and 356a BGB; pages show them beside the English ones, marked `lang="de"`. Raise a version when its text
 * changes: orders are stored with the versions that the buyer saw.
 */

import { dayMs } from '../../dates.ts'

export const labels = {
  withdrawHere: { en: 'Withdraw from contract here', de: 'Vertrag widerrufen' },
  cancelHere: { en: 'Cancel contracts here', de: 'Verträge hier kündigen' },
} as const

/** Not in `labels`, because every page loads those. */
export const buttons = {
  confirmWithdrawal: { en: 'Confirm withdrawal', de: 'Widerruf bestätigen' },
  cancelNow: { en: 'Cancel now', de: 'jetzt kündigen' },
} as const

const withdrawalDays = 14

/** Last moment for a withdrawal. One extra day makes sure that the period is over in every time zone. */
export const withdrawalEnds = (orderedAt: Date) => new Date(orderedAt.getTime() + (withdrawalDays + 1) * dayMs)

/** Last day that pages and emails name, without the extra day. */
export const withdrawalDay = (orderedAt: Date) => new Date(orderedAt.getTime() + withdrawalDays * dayMs)

/** A plan switch has its own 14 days, for what was paid for the time since. */
export const withdrawalCoverages = ['all', 'since_switch'] as const
export type WithdrawalCoverage = (typeof withdrawalCoverages)[number]

/** Follows “you can withdraw and”. */
export const withdrawalEffects: Record<WithdrawalCoverage, string> = {
  all: 'get all your money back',
  since_switch: 'get back everything you’ve paid for the time since your switch',
}

/** Deadline for acting on a declaration: the law allows 14 days for a refund. */
export const declarationDue = (declaredAt: Date) => new Date(declaredAt.getTime() + 14 * dayMs)

export const contractNumber = (purchaseId: string) => `RS-${purchaseId.slice(0, 8).toUpperCase()}`

/** A contract number like RS-1A2B3C4D, with or without RS, or the whole id of a purchase. */
const contractNumberPattern = /^(?:rs[-\s]?)?([0-9a-f]{8})(?:(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?$/i

/** Returns the first 8 characters of the purchase's id. */
export function readContractNumber(typed: string): string | undefined {
  const [, startOfId] = contractNumberPattern.exec(typed.trim()) ?? []
  return startOfId?.toLowerCase()
}
