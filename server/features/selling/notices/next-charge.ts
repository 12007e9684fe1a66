import type { Context } from '#server/context.ts'
import type { PurchaseRow } from '../purchases/purchases.ts'

type NextChargeDeps = Pick<Context, 'stripe' | 'log'>

/** `isExact` is false for the stored amount, which lacks one-time items and added tax. */
export type NextCharge = { amount: number | null; isExact: boolean }

export type NextChargeOf = (purchase: PurchaseRow) => Promise<NextCharge>

export function createNextCharge({ stripe, log }: NextChargeDeps): NextChargeOf {
  return async function nextChargeOf({ stripeSubscriptionId: subscriptionId, nextAmount: amount, isOngoing }) {
    if (!subscriptionId || amount === null || !isOngoing) return { amount, isExact: true }
    try {
      return { amount: await stripe.invoices.nextAmount(subscriptionId), isExact: true }
    } catch (error) {
      log.warn({ err: error, subscriptionId }, 'could not preview the next charge')
      return { amount, isExact: false }
    }
  }
}
