import { isLive } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { conflict, notFound } from '#server/errors.ts'
import type { Orders } from '../orders/orders.ts'
import { findPurchase, updatePurchase } from '../purchases/purchases.ts'
import { isPastDue } from './state.ts'
import type { Sync } from './sync.ts'

type CardUpdateDeps = Pick<Context, 'db' | 'now' | 'stripe' | 'mails' | 'runExclusive'> & {
  orders: Pick<Orders, 'findBySubscription'>
  sync: Sync
}
type CardUpdateState = { state: 'done' | 'processing'; confirmWith: string | null; card: string | null }

/** Replaces the card of a live subscription. An unpaid renewal is charged to the new card immediately. */
export type CardUpdate = {
  /** `clientSecret` is for entering a card, `confirmWith` for confirming an unpaid renewal with the bank. */
  begin(actor: Actor, id: string): Promise<{ clientSecret: string; confirmWith: string | null }>
  /** Without `setupIntentId`, only returns the state after the buyer's confirmation with their bank. Idempotent. */
  finish(actor: Actor, id: string, setupIntentId?: string): Promise<CardUpdateState>
}

export function createCardUpdate(deps: CardUpdateDeps): CardUpdate {
  const { db, now, stripe, mails, runExclusive, orders, sync } = deps

  async function subscriptionOf(userId: string, id: string) {
    const { status, stripeSubscriptionId } = await findPurchase(db, id, userId)
    if (!stripeSubscriptionId || !isLive(status))
      throw conflict('no-live-subscription', 'There’s no live subscription to use this card for')
    const order = await orders.findBySubscription(stripeSubscriptionId)
    if (!order) throw notFound('Purchase')
    return { subscriptionId: stripeSubscriptionId, customerId: order.customerId }
  }

  /** Open invoice of the unpaid renewal. Other open invoices belong to a plan change that may be dropped. */
  async function readUnpaidInvoice(subscriptionId: string) {
    const subscription = await stripe.subscriptions.read(subscriptionId)
    return isPastDue(subscription) ? subscription.openInvoice : null
  }

  const readCard = async (id: string) => (await findPurchase(db, id)).card

  return {
    async begin({ user }: Actor, id: string) {
      const { customerId, subscriptionId } = await subscriptionOf(user.id, id)
      return {
        clientSecret: await stripe.customers.createSetupIntent(customerId),
        confirmWith: (await readUnpaidInvoice(subscriptionId))?.confirmWith ?? null,
      }
    },

    async finish({ user }: Actor, id: string, setupIntentId?: string) {
      const { subscriptionId, customerId } = await subscriptionOf(user.id, id)
      if (!setupIntentId) {
        const unpaidInvoice = await readUnpaidInvoice(subscriptionId)
        await sync(subscriptionId)
        const state = unpaidInvoice ? ('processing' as const) : ('done' as const)
        return { state, confirmWith: unpaidInvoice?.confirmWith ?? null, card: await readCard(id) }
      }

      const card = await stripe.customers.storedCard(setupIntentId, customerId)
      if (!card) throw conflict('card-not-saved', 'We couldn’t save the card. Please try again.')
      return runExclusive(subscriptionId, async () => {
        const unpaidInvoice = await readUnpaidInvoice(subscriptionId)
        let payment: Omit<CardUpdateState, 'card'> = { state: 'done', confirmWith: null }
        try {
          if (unpaidInvoice) payment = await stripe.invoices.pay(unpaidInvoice.id, card)
          // Keeps the old card until the bank has confirmed the payment with the new one.
          if (payment.confirmWith) return { ...payment, card: null }
          await stripe.subscriptions.useCard(subscriptionId, card)
          await updatePurchase(db, id, { cardSavedAt: now() })
        } finally {
          await sync(subscriptionId)
        }

        const newCard = await readCard(id)
        // Warns the owner, in case someone else used the account. An unproven address gets one email a day.
        const occasion = user.isProven ? setupIntentId : `${user.id} on ${now().toISOString().slice(0, 10)}`
        await mails.sendOnce(`card of ${occasion}`, user.email, 'cardUpdated', { name: user.name, card: newCard })
        return { ...payment, card: newCard }
      })
    },
  }
}
