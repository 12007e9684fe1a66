/**
 * Texts that EU law requires for consumers, in one place for a lawyer to read. German labels are the words of
 * §§ 312k and 356a BGB; pages show them beside the English ones, marked `lang="de"`. Raise a version when its text
 * changes: orders are stored with the versions that the buyer saw.
 */

export const labels = {
  withdrawHere: { en: 'Withdraw from contract here', de: 'Vertrag widerrufen' },
  cancelHere: { en: 'Cancel contracts here', de: 'Verträge hier kündigen' },
} as const

/** Apart from the labels above, which every page loads. */
export const buttons = {
  confirmWithdrawal: { en: 'Confirm withdrawal', de: 'Widerruf bestätigen' },
  cancelNow: { en: 'Cancel now', de: 'jetzt kündigen' },
} as const

const day = 86_400_000

const withdrawalDays = 14

/** Until when a withdrawal counts: the day of the order doesn’t count, and a day to spare makes it hold in every time zone. */
export const withdrawalEnds = (orderedAt: Date) => new Date(orderedAt.getTime() + (withdrawalDays + 1) * day)

/** Last day that buyers read: without the day to spare. */
export const withdrawalDay = (orderedAt: Date) => new Date(orderedAt.getTime() + withdrawalDays * day)

/** How long we may take to act on a declaration: what the law gives us for a refund. */
export const declarationDue = (declaredAt: Date) => new Date(declaredAt.getTime() + 14 * day)

const numberLength = 8

/** Contract number on receipts and in the dashboard, short enough to type. */
export const contractNumber = (purchaseId: string) => `RS-${purchaseId.slice(0, numberLength).toUpperCase()}`

/** The start of a purchase's id, if that is what was typed. */
export function readContractNumber(typed: string): string | undefined {
  return /^(?:rs[-\s]?)?([0-9a-f]{8})(?:(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?$/i.exec(typed.trim())?.[1]?.toLowerCase()
}
