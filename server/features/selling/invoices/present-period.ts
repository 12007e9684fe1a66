import type { Subscription } from '#server/gateways/stripe.ts'

type PresentPeriod = 'paid' | 'given' | 'forgiven' | 'written off' | 'not collected' | 'being billed'

/**
 * How the period that runs is paid for, from the newest invoice for a period of its own: docs/subscription-states.md.
 * Stripe calls a subscription active in each of these cases.
 */
export function presentPeriod(subscription: Subscription): PresentPeriod {
  const { collectionPaused, status, dueInvoice } = subscription
  if (collectionPaused) return 'not collected'
  if (status === 'trialing') return 'given'
  switch (dueInvoice?.status) {
    case 'void':
      return isForgiven(subscription) ? 'forgiven' : 'being billed'
    case 'uncollectible':
      return 'written off'
    case 'draft':
    case 'open':
      return 'being billed'
    default:
      return 'paid'
  }
}

/** True if the seller voided the invoice while the subscription ran; the shop voids invoices of ended ones. */
function isForgiven({ dueInvoice, endedAt }: Subscription) {
  if (dueInvoice?.status !== 'void') return false
  return endedAt === null || (dueInvoice.closedAt !== null && dueInvoice.closedAt < endedAt)
}
