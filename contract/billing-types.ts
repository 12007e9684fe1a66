/** Apart from the other lists (statuses.ts offers it, too), because every page needs it and most need none of those. */
export const billingTypes = ['monthly', 'yearly'] as const
export type BillingType = (typeof billingTypes)[number]
