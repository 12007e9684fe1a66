import type { Subscription } from '#server/gateways/stripe.ts'

type PresentPeriodStatus = 'paid' | 'given' | 'forgiven' | 'written off' | 'not collected' | 'being billed'

/**
 * Payment status of the present period, by the newest invoice of a full period (see docs/subscription-states.md). The
 * subscription's own status can't tell, because Stripe may call it active in each of these cases.
 */
export function presentPeriodStatus(subscription: Subscription): PresentPeriodStatus {
  const { collectionPaused, status, latestPeriodInvoice } = subscription
  if (collectionPaused) return 'not collected'
  if (status === 'trialing') return 'given'
  switch (latestPeriodInvoice?.status) {
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

/** True if the seller voided the invoice while the subscription ran. The shop itself voids only after the end. */
function isForgiven({ latestPeriodInvoice, endedAt }: Subscription) {
  if (latestPeriodInvoice?.status !== 'void') return false
  return endedAt === null || (latestPeriodInvoice.closedAt !== null && latestPeriodInvoice.closedAt < endedAt)
}
