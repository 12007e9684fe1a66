import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { conflict } from '#server/errors.ts'
import { findPurchase } from './list.ts'
import type { Notices } from './notices.ts'
import { isPastDue } from './state.ts'
import type { Sync } from './sync.ts'

type Others = { notices: Notices; sync: Sync }

/** What the seller does about a renewal that was not paid. */
export function createUnpaid({ db, stripe, audit, runExclusive }: Context, { notices, sync }: Others) {
  async function owed(id: string) {
    const purchase = await findPurchase(db, id)
    const { stripeSubscriptionId: subscriptionId } = purchase
    const answer = subscriptionId ? await stripe.subscriptions.read(subscriptionId) : null
    if (!answer?.openInvoice || !isPastDue(answer))
      throw conflict('invoice-closed', 'No payment is open for this purchase')
    return { purchase, subscriptionId: answer.id, invoiceId: answer.openInvoice.id }
  }

  return {
    /** With the card on file; a paid invoice stays paid, so asking twice charges once. */
    async retry(actor: Actor, id: string) {
      const { purchase, subscriptionId, invoiceId } = await owed(id)
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
      const { purchase, invoiceId } = await owed(id)
      await db.transaction(async (tx) => {
        await notices.tellUnpaid(tx, purchase, invoiceId)
        await audit.record(tx, actor, { action: 'purchase.pay-link', subject: id, aboutId: purchase.userId })
      })
    },
  }
}
