/** Apart from the other lists (statuses.ts offers it, too), because every page needs it and most need none of those. */
export const billingTypes = ['monthly', 'yearly'] as const
export type BillingType = (typeof billingTypes)[number]

/** Moves a date by months as Stripe does: the 31st becomes the 30th in a shorter month. */
export function addMonths(date: Date, months: number): Date {
  const moved = new Date(date)
  moved.setUTCMonth(date.getUTCMonth() + months)
  // Too long for its month, the day has run over into the next one.
  if (moved.getUTCDate() !== date.getUTCDate()) moved.setUTCDate(0)
  return moved
}
