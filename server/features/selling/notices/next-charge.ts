import type { Context } from '#server/context.ts'
import type { PurchaseRow } from '../purchases/purchases.ts'

type NextChargeDeps = Pick<Context, 'stripe' | 'log'>

/** `isExact` is false if Stripe's preview failed; the stored amount lacks one-time items and added tax. */
export type NextCharge = { amount: number | null; isExact: boolean }

/** Asks Stripe what the next renewal will take. Falls back to the stored amount where Stripe is slow or away. */
export type NextChargeOf = (purchase: PurchaseRow) => Promise<NextCharge>

export const createNextCharge =
  ({ stripe, log }: NextChargeDeps): NextChargeOf =>
  async (purchase) => {
    const { stripeSubscriptionId: subscriptionId, nextAmount: amount } = purchase
    if (!subscriptionId || amount === null || !purchase.isOngoing) return { amount, isExact: true }
    try {
      return { amount: await stripe.invoices.nextAmount(subscriptionId), isExact: true }
    } catch (error) {
      log.warn({ err: error, subscriptionId }, 'could not preview the next charge')
      return { amount, isExact: false }
    }
  }
