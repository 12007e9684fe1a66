import type { Subscription } from '#server/gateways/stripe.ts'

type PresentPeriodStatus = 'paid' | 'given' | 'forgiven' | 'written off' | 'not collected' | 'being billed'

/** Reads the newest full invoice, because Stripe may call the subscription active in each case (docs/subscription-states.md). */
export function presentPeriodStatus(subscription: Subscription): PresentPeriodStatus {
  const { collectionPaused, status, latestPeriodInvoice } = subscription
  if (collectionPaused) return 'not collected'
  if (status === 'trialing') return 'given'
  switch (latestPeriodInvoice?.status) {
    case 'void':
      return isForgiven(subscription) ? 'forgiven' : 'being billed'
    case 'uncollectible':
      return isForgiven(subscription) ? 'forgiven' : 'written off'
    case 'draft':
    case 'open':
      return 'being billed'
    default:
      return 'paid'
  }
}

/** Also while collection is paused. The shop itself voids invoices only after the subscription's end. */
export function isForgiven({ latestPeriodInvoice: invoice, endedAt }: Subscription) {
  if (invoice?.status !== 'void' && !invoice?.isWaived) return false
  return endedAt === null || (invoice.closedAt !== null && invoice.closedAt < endedAt)
}
