import type { BillingType } from '../statuses.ts'

/** What we sell and for how much, in cents. The server syncs it to Stripe; the browser only shows it. */
export const reboundSigmaPro = {
  id: '5b8f9a52-6d0e-4a53-9a3c-2f1f6f7f0c01',
  name: 'Rebound Sigma Pro',
  slug: 'rebound-sigma-pro',
  monthlyPrice: 3900,
  yearlyPrice: 39000,
} as const

export const products = [reboundSigmaPro]

/** The advertised price once early access is over. */
export const regularPrice = { monthly: 4900, yearly: 49000 } as const

export function priceOf(product: { monthlyPrice: number; yearlyPrice: number }, billingType: BillingType) {
  return billingType === 'yearly' ? product.yearlyPrice : product.monthlyPrice
}
