import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { conflict } from '#server/errors.ts'
import type { StripeGateway, Subscription } from '#server/gateways/stripe.ts'
import type { Notices } from '../notices/notices.ts'
import { findPurchase } from '../purchases/purchases.ts'
import { fullAmountIf, refundAll } from '../refunds/refunds.ts'
import { isPastDue } from './state.ts'
import type { Sync } from './sync.ts'

type UnpaidDeps = Pick<Context, 'db' | 'stripe' | 'audit' | 'runExclusive'> & {
  notices: Pick<Notices, 'emailPayLink'>
  sync: Sync
}

export type Unpaid = {
  /** Idempotent: a paid invoice is not charged again. */
  retry(actor: Actor, id: string): Promise<{ state: 'done' | 'processing' | 'awaits-bank' }>
  sendLink(actor: Actor, id: string): Promise<void>
}

export function createUnpaid({ db, stripe, audit, runExclusive, notices, sync }: UnpaidDeps): Unpaid {
  async function findUnpaid(id: string) {
    const purchase = await findPurchase(db, id)
    const { stripeSubscriptionId } = purchase
    const subscription = stripeSubscriptionId ? await stripe.subscriptions.read(stripeSubscriptionId) : null
    if (!subscription?.openInvoice || !isPastDue(subscription))
      throw conflict('invoice-closed', 'No payment is open for this purchase')
    return { purchase, subscriptionId: subscription.id, invoiceId: subscription.openInvoice.id }
  }

  return {
    async retry(actor: Actor, id: string) {
      const { purchase, subscriptionId, invoiceId } = await findUnpaid(id)
      return runExclusive(subscriptionId, async () => {
        try {
          const { state, confirmWith } = await stripe.invoices.pay(invoiceId)
          return { state: confirmWith ? ('awaits-bank' as const) : state }
        } finally {
          await audit.record(db, actor, { action: 'purchase.retry', subject: id, aboutId: purchase.userId })
          await sync(subscriptionId)
        }
      })
    },

    async sendLink(actor: Actor, id: string) {
      const { purchase, invoiceId } = await findUnpaid(id)
      await db.transaction(async (tx) => {
        await notices.emailPayLink(tx, purchase, invoiceId)
        await audit.record(tx, actor, { action: 'purchase.pay-link', subject: id, aboutId: purchase.userId })
      })
    },
  }
}

/** Also refunds payments that arrive meanwhile, and those whose invoice Stripe hasn't marked as paid yet. */
export async function endUnpaid(stripe: StripeGateway, { id, openInvoice, payments }: Subscription) {
  const countedPayments = payments.filter(({ invoiceId }) => invoiceId !== openInvoice?.id)
  const countedIntents = new Set(countedPayments.map(({ paymentIntentId }) => paymentIntentId))
  await stripe.subscriptions.cancelNow(id)
  const newPayments = fullAmountIf(({ paymentIntentId }) => !countedIntents.has(paymentIntentId))
  await refundAll(stripe, id, newPayments)
}
