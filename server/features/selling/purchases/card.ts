import { isLive } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { RunExclusive } from '#server/concurrency/keyed-mutex.ts'
import { conflict, notFound, Refusal } from '#server/errors.ts'
import type { StripeGateway } from '#server/gateways/stripe.ts'
import type { Mails } from '#server/mails/mails.ts'
import type { Checkouts } from '../checkout/checkout.ts'
import type { Lookup } from './lookup.ts'

type Dependencies = {
  stripe: StripeGateway
  checkouts: Checkouts
  mails: Mails
  lookup: Lookup
  sync: (subscriptionId: string) => Promise<void>
  runExclusive: RunExclusive
}

/** Another card for a live subscription; an open renewal is charged to it right away. */
export function createCardUpdate({ stripe, checkouts, mails, lookup, sync, runExclusive }: Dependencies) {
  async function subscriptionOf(userId: string, id: string) {
    const { status, stripeSubscriptionId } = await lookup.find(id, userId)
    if (!stripeSubscriptionId || !isLive(status))
      throw conflict('no-live-subscription', 'There’s no live subscription to use this card for')
    const checkout = await checkouts.ofSubscription(stripeSubscriptionId)
    if (!checkout) throw notFound('Purchase')
    return { subscriptionId: stripeSubscriptionId, customerId: checkout.customerId }
  }

  return {
    async begin({ user }: Actor, id: string) {
      const { customerId } = await subscriptionOf(user.id, id)
      return { clientSecret: await stripe.createSetupIntent(customerId) }
    },

    /** Idempotent: the card is the same, and a paid invoice stays paid. */
    async finish({ user }: Actor, id: string, setupIntentId: string) {
      const { subscriptionId, customerId } = await subscriptionOf(user.id, id)
      const card = await stripe.storedCard(setupIntentId, customerId)
      if (!card) throw new Refusal(409, 'card-not-saved', 'We couldn’t save the card. Please try again.')
      return runExclusive(subscriptionId, async () => {
        const { latestInvoice } = await stripe.subscription(subscriptionId)
        try {
          const paid =
            latestInvoice?.status === 'open'
              ? await stripe.payInvoice(latestInvoice.id, card)
              : { state: 'done' as const, confirmWith: null }
          // A card that can't pay what is open wouldn't pay the next renewal either: the old one stays.
          if (paid.confirmWith) return paid
          await stripe.useCard(subscriptionId, card)
          // The owner finds out even if someone else is at the keyboard.
          await mails.sendOnce(`card of ${setupIntentId}`, user.email, 'cardUpdated', { name: user.name })
          return paid
        } finally {
          await sync(subscriptionId)
        }
      })
    },
  }
}
