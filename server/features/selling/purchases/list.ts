import { and, type Column, eq, gt, inArray, sql } from 'drizzle-orm'
import type { ParsedInputOf } from '#contract/endpoint.ts'
import { planOf } from '#contract/plans.ts'
import { describeCharges } from '#contract/selling/charges.ts'
import { decidedDisputes } from '#contract/selling/disputes.ts'
import type { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { isLive } from '#contract/statuses.ts'
import type { Database } from '#server/database/connect.ts'
import { decodeCursor, pageOf } from '#server/database/cursor.ts'
import { failedRefundStatuses } from '#server/database/schema/columns.ts'
import { disputes, isLivePurchase, payments, products, purchases, refunds, users } from '#server/database/schema.ts'
import { inOrder, isAfterCursor, usersMatching } from '#server/database/text-search.ts'
import { graceEnd } from './entitlement.ts'
import { needConditions } from './needs.ts'
import type { PurchaseRow } from './rows.ts'
import { withdrawalOf } from './withdrawal.ts'

const buyersColumns = {
  id: purchases.id,
  userId: purchases.userId,
  productId: purchases.productId,
  billingType: purchases.billingType,
  otherInterval: purchases.otherInterval,
  price: purchases.price,
  lastPaidAmount: purchases.lastPaidAmount,
  lastPaidAt: purchases.lastPaidAt,
  nextAmount: purchases.nextAmount,
  laterAmount: purchases.laterAmount,
  laterAt: purchases.laterAt,
  dueAmount: purchases.dueAmount,
  card: purchases.card,
  cardExpiresAt: purchases.cardExpiresAt,
  status: purchases.status,
  createdAt: purchases.createdAt,
  currentPeriodEnd: purchases.currentPeriodEnd,
  endsAt: purchases.endsAt,
  pastDueSince: purchases.pastDueSince,
  awaitsBank: purchases.awaitsBank,
  isCollectionPaused: purchases.isCollectionPaused,
  collectionResumesAt: purchases.collectionResumesAt,
  endedAt: purchases.endedAt,
  endedBecause: purchases.endedBecause,
  refundedAmount: purchases.refundedAmount,
  paidThrough: purchases.paidThrough,
  firstPaidAt: purchases.firstPaidAt,
  orderedAt: purchases.orderedAt,
  isOngoing: purchases.isOngoing,
  paymentIntentId: purchases.paymentIntentId,
  bookedAs: purchases.bookedAs,
}

export type PurchaseFilter = ParsedInputOf<typeof purchasesAdmin.list> & { userId?: string }

export async function listPurchases<Output extends Position>(
  db: Database,
  filter: PurchaseFilter,
  now: Date,
  show: (row: ManagedPurchaseRow, now: Date) => Output,
) {
  const { limit, cursor, q, userId, status, billingType, need, sort = 'newest' } = filter
  const cursorPosition = decodeCursor(cursor)
  // `live` and `paying` are filters, not stored statuses.
  const isLiveFilter = status === 'live' || status === 'paying'
  // Limits in a subquery, so that only the rows of the page are joined.
  const page = db
    .select()
    .from(purchases)
    .where(
      and(
        userId ? eq(purchases.userId, userId) : undefined,
        isLiveFilter ? isLivePurchase : status && eq(purchases.status, status),
        status === 'paying' ? gt(purchases.arr, 0) : undefined,
        need ? needConditions(now)[need].condition : undefined,
        billingType ? eq(purchases.billingType, billingType) : undefined,
        cursorPosition ? isAfterCursor(purchases, cursorPosition, sort) : undefined,
        q ? inArray(purchases.userId, usersMatching(q)) : undefined,
      ),
    )
    .orderBy(...inOrder(purchases, sort))
    .limit(limit + 1)
    .as('purchases')
  const rows = await db
    .select({
      purchase: page._.selectedFields,
      user: { email: users.email, name: users.name, tradingViewUsername: users.tradingViewUsername },
      product: { name: products.name, slug: products.slug },
      disputeIds: sql<string[]>`case when ${page.isDisputed} then ${openDisputesOf(page.id)} else '{}' end`,
      isFullyRefunded: sql<boolean>`not ${hasRefundablePayment(page.id)}`,
    })
    .from(page)
    .innerJoin(users, eq(users.id, page.userId))
    .innerJoin(products, eq(products.id, page.productId))
    .orderBy(...inOrder(purchases, sort))
  return pageOfPurchases(
    rows.map((row) => show(row, now)),
    limit,
  )
}

const openDisputesOf = (purchaseId: Column) => sql`array(
  select ${disputes.id} from ${disputes} join ${payments} on ${payments.paymentIntentId} = ${disputes.paymentIntentId}
  where ${payments.purchaseId} = ${purchaseId} and not ${inArray(disputes.status, [...decidedDisputes])}
  order by ${disputes.dueAt} nulls last, ${disputes.id})`

/** The row of an out-of-band payment, which no card can be refunded, has the invoice's id in place of the intent's. */
const hasRefundablePayment = (purchaseId: Column) => sql`exists (
  select from ${payments} where ${payments.purchaseId} = ${purchaseId} and ${payments.paymentIntentId} <> ${payments.invoiceId}
  and ${payments.amount} > (select coalesce(sum(${refunds.amount}), 0) from ${refunds}
    where ${refunds.paymentIntentId} = ${payments.paymentIntentId} and ${refunds.status} not in ${failedRefundStatuses}))`

/** Prepares the query of every dashboard visit, unnamed because a pooler in transaction mode can't keep named statements. */
export function prepareOwnPurchases(db: Database) {
  const statement = db
    .select({
      purchase: buyersColumns,
      user: { email: users.email, name: users.name, tradingViewUsername: users.tradingViewUsername },
      product: { name: products.name, slug: products.slug },
    })
    .from(purchases)
    .innerJoin(users, eq(users.id, purchases.userId))
    .innerJoin(products, eq(products.id, purchases.productId))
    .where(eq(purchases.userId, sql.placeholder('userId')))
    .orderBy(...inOrder(purchases, 'newest'))
    .limit(sql.placeholder('limit'))
    .prepare('')
  return async (userId: string, limit: number, now: Date) => {
    const rows = await statement.execute({ userId, limit: limit + 1 })
    return pageOfPurchases(
      rows.map((row) => showToBuyer(row, now)),
      limit,
    )
  }
}

type Position = { createdAt: Date; id: string }
const pageOfPurchases = <Output extends Position>(outputs: Output[], limit: number) =>
  pageOf(outputs, limit, ({ createdAt: at, id }) => ({ at, id }))

type ListedPurchase<Columns extends keyof PurchaseRow> = {
  purchase: Pick<PurchaseRow, Columns>
  user: { email: string; name: string; tradingViewUsername: string | null }
  product: { name: string; slug: string }
}

type ManagedPurchaseRow = ListedPurchase<keyof PurchaseRow> & { disputeIds: string[]; isFullyRefunded: boolean }

export const showToSeller = (
  { disputeIds, isFullyRefunded, purchase, ...buyerAndProduct }: ManagedPurchaseRow,
  now: Date,
) => ({
  ...purchase,
  ...showToBuyer({ purchase, ...buyerAndProduct }, now),
  reason: purchase.bookedBecause,
  disputeIds,
  isFullyRefunded,
  isWarned: purchase.warnedPaymentIntentId !== null && isLive(purchase.status),
})

export const periodOf = ({ otherInterval, billingType }: Pick<PurchaseRow, 'otherInterval' | 'billingType'>) =>
  otherInterval ?? planOf(billingType).period

/** The next charges in words; with `paidToday`, also today's. Null if the amount never changes. */
export function chargesOf(purchase: Pick<PurchaseRow, keyof typeof buyersColumns>, paidToday?: number) {
  const { price, nextAmount, currentPeriodEnd, laterAmount, laterAt } = purchase
  if (nextAmount === null || !currentPeriodEnd) return null
  const later = laterAmount !== null && laterAt ? { amount: laterAmount, at: laterAt } : null
  const isRegularPrice = paidToday === nextAmount && nextAmount === price
  const changesNext = paidToday !== undefined && !isRegularPrice
  if (!changesNext && !later) return null
  const charges = { period: periodOf(purchase), next: { amount: nextAmount, at: currentPeriodEnd }, later }
  const since = purchase.lastPaidAt ?? purchase.createdAt
  return describeCharges(paidToday === undefined ? charges : { ...charges, today: paidToday }, since)
}

function cardInWords({ card, cardExpiresAt }: Pick<PurchaseRow, 'card' | 'cardExpiresAt'>) {
  if (!card || !cardExpiresAt) return card
  // `cardExpiresAt` is the first moment after the card's last month.
  const [year, month] = new Date(cardExpiresAt.getTime() - 1).toISOString().split('-')
  return `${card}, expires ${month}/${year?.slice(2)}`
}

export function showToBuyer({ purchase, product, user }: ListedPurchase<keyof typeof buyersColumns>, now: Date) {
  const { price, pastDueSince, bookedAs } = purchase
  return {
    ...purchase,
    period: periodOf(purchase),
    amount: price,
    charges: chargesOf(purchase),
    card: cardInWords(purchase),
    graceEndsAt: pastDueSince && graceEnd(pastDueSince),
    withdrawal: withdrawalOf(purchase, now),
    kind: bookedAs,
    tradingViewUsername: user.tradingViewUsername,
    user,
    product,
  }
}
