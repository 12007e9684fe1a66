import { eq } from 'drizzle-orm'
import { isLive } from '#contract/purchases.ts'
import type { Database } from '../../database/connect.ts'
import { checkouts, users } from '../../database/schema.ts'
import { conflict, notFound, Refusal } from '../../errors.ts'
import type { StripeGateway } from '../../gateways/stripe.ts'
import type { Mails } from '../mails/mails.ts'
import type { OwnPurchases } from './own-purchases.ts'

type Dependencies = { db: Database; stripe: StripeGateway; mails: Mails; own: OwnPurchases }

/** Another card for a running subscription; an open renewal is paid with it at once. */
export function createCardUpdate({ db, stripe, mails, own }: Dependencies) {
  async function subscriptionOf(userId: string, id: string) {
    const { status, stripeSubscriptionId } = await own.find(id, userId)
    if (!stripeSubscriptionId || !isLive(status))
      throw conflict('There is no running subscription that a card could pay for')
    const [checkout] = await db
      .select({ customerId: checkouts.customerId })
      .from(checkouts)
      .where(eq(checkouts.subscriptionId, stripeSubscriptionId))
    if (!checkout) throw notFound('Purchase')
    return { subscriptionId: stripeSubscriptionId, ...checkout }
  }

  /** The owner hears of it even when somebody else sits at the keyboard. */
  async function tellOwner(userId: string, setupIntentId: string) {
    const [owner] = await db
      .select({ email: users.email, name: users.name })
      .from(users)
      .where(eq(users.id, userId))
    if (owner)
      await mails.sendOnce(`card of ${setupIntentId}`, owner.email, 'cardUpdated', { name: owner.name })
  }

  return {
    async begin(userId: string, id: string) {
      const { customerId } = await subscriptionOf(userId, id)
      return { clientSecret: await stripe.createSetupIntent(customerId) }
    },

    /** Repeating it changes nothing: the card is the same, and a paid invoice stays paid. */
    async finish(userId: string, id: string, setupIntentId: string) {
      const { subscriptionId, customerId } = await subscriptionOf(userId, id)
      const card = await stripe.storedCard(setupIntentId, customerId)
      if (!card) throw new Refusal(409, 'The card could not be stored. Please try again.')
      return own.inTurn(subscriptionId, async () => {
        await stripe.useCard(subscriptionId, card)
        await tellOwner(userId, setupIntentId)
        const { latestInvoice } = await stripe.subscription(subscriptionId)
        try {
          const isOpen = latestInvoice?.status === 'open'
          return { confirmWith: isOpen ? await stripe.payInvoice(latestInvoice.id, card) : null }
        } finally {
          await own.sync(subscriptionId)
        }
      })
    },
  }
}
