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

/** Another card for a live subscription; an open renewal is charged to it right away. */
export type CardUpdate = {
  begin(actor: Actor, id: string): Promise<{ clientSecret: string; confirmWith: string | null }>
  /** Idempotent: the card is the same, and a paid invoice stays paid. */
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
  async function owedBy(subscriptionId: string) {
    const answer = await stripe.subscriptions.read(subscriptionId)
    return isPastDue(answer) ? answer.openInvoice : null
  }

  const cardOf = async (id: string) => (await findPurchase(db, id)).card

  return {
    async begin({ user }: Actor, id: string) {
      const { customerId, subscriptionId } = await subscriptionOf(user.id, id)
      return {
        clientSecret: await stripe.customers.createSetupIntent(customerId),
        confirmWith: (await owedBy(subscriptionId))?.confirmWith ?? null,
      }
    },

    async finish({ user }: Actor, id: string, setupIntentId?: string) {
      const { subscriptionId, customerId } = await subscriptionOf(user.id, id)
      if (!setupIntentId) {
        const owed = await owedBy(subscriptionId)
        await sync(subscriptionId)
        const state = owed ? ('processing' as const) : ('done' as const)
        return { state, confirmWith: owed?.confirmWith ?? null, card: await cardOf(id) }
      }
      const card = await stripe.customers.storedCard(setupIntentId, customerId)
      if (!card) throw conflict('card-not-saved', 'We couldn’t save the card. Please try again.')
      return runExclusive(subscriptionId, async () => {
        const owed = await owedBy(subscriptionId)
        let paid: Omit<CardUpdateState, 'card'> = { state: 'done', confirmWith: null }
        try {
          if (owed) paid = await stripe.invoices.pay(owed.id, card)
          // Keeps the old card: a new one that fails now would fail at the next renewal, too.
          if (paid.confirmWith) return { ...paid, card: null }
          await stripe.subscriptions.useCard(subscriptionId, card)
          await updatePurchase(db, id, { cardSavedAt: now() })
        } finally {
          await sync(subscriptionId)
        }
        const newCard = await cardOf(id)
        // Tells the owner, in case someone else used the account; an unproven address at most once a day.
        const occasion = user.isProven ? setupIntentId : `${user.id} on ${now().toISOString().slice(0, 10)}`
        await mails.sendOnce(`card of ${occasion}`, user.email, 'cardUpdated', { name: user.name, card: newCard })
        return { ...paid, card: newCard }
      })
    },
  }
}
