import { desc, eq } from 'drizzle-orm'
import { type EndReason, isLive } from '#contract/statuses.ts'
import type { Database } from '#server/database/connect.ts'
import { purchases } from '#server/database/schema.ts'
import type { Stretch } from '#server/database/stretch.ts'
import type { StripeGateway } from '#server/gateways/stripe.ts'
import type { PurchaseRow } from './lookup.ts'
import { productName } from './product-name.ts'

/** Nobody has more. */
const most = 200

const endings: Record<EndReason, string> = {
  cancelled: 'Subscription ended',
  unpaid: 'Subscription expired unpaid',
  refunded: 'Subscription ended: refunded',
  disputed: 'Subscription ended: lost dispute',
  duplicate: 'Second subscription ended',
  no_seat: 'Refunded: no seat was left',
}

/** What a customer bought and paid, for whoever looks at their page. */
export function createHistory({ db, stripe }: { db: Database; stripe: Pick<StripeGateway, 'invoices'> }) {
  const rowsOf = (userId: string) =>
    db
      .select()
      .from(purchases)
      .where(eq(purchases.userId, userId))
      .orderBy(desc(purchases.createdAt), desc(purchases.id))
      .limit(most)

  return {
    async historyOf(userId: string, { before }: Stretch) {
      const rows = await rowsOf(userId)
      return rows.flatMap(eventsOf).filter(({ at }) => at <= before)
    },

    /** From Stripe, which knows every invoice; what was booked by hand has none. */
    async paymentsOf(userId: string) {
      const rows = await rowsOf(userId)
      const lists = await Promise.all(
        rows.flatMap(({ stripeSubscriptionId: id }) => (id ? [stripe.invoices(id)] : [])),
      )
      const documents = lists.flat().toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
      const invoiced = sum(
        documents.filter(({ kind, status }) => kind === 'invoice' && status === 'paid'),
        ({ amount }) => amount,
      )
      const byHand = rows.filter((row) => !row.stripeSubscriptionId && row.bookedAs !== 'gift')
      const refunded = sum(rows, ({ refundedAmount }) => refundedAmount)
      return {
        documents,
        paid: Math.max(0, invoiced + sum(byHand, ({ amount }) => amount) - refunded),
        refunded,
      }
    },
  }
}

function eventsOf(row: PurchaseRow) {
  const { id, amount, billingType, createdAt, pastDueSince, endedAt, endedBecause, status } = row
  const purchase = { product: productName(row.productId), amount, billingType }
  const event = (step: string, at: Date, what: string) => ({ key: `${id}-${step}`, at, what, purchase })
  return [
    event('begun', createdAt, row.stripeSubscriptionId ? 'Subscribed' : 'Booked by hand'),
    ...(pastDueSince ? [event('unpaid', pastDueSince, 'Renewal not paid')] : []),
    ...(endedAt && !isLive(status) ? [event('ended', endedAt, endings[endedBecause ?? 'cancelled'])] : []),
  ]
}

const sum = <Item>(items: Item[], of: (item: Item) => number) =>
  items.reduce((total, item) => total + of(item), 0)
