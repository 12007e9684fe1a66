import { and, eq, inArray, max, min } from 'drizzle-orm'
import type { Database } from '#server/database/connect.ts'
import { balanceReads, balanceTransactions, payments, payouts } from '#server/database/schema.ts'
import { type BalanceTransaction, type Payout, type StripeGateway, StripeRefusal } from '#server/gateways/stripe.ts'

export type ReadBalanceDeps = { db: Database; now: () => Date; stripe: Pick<StripeGateway, 'balance'> }

/** A line or payout may appear at Stripe a little after its own time. */
const overlapMs = 3 * 86_400_000
/** A payout to a bank account can fail days later. */
const payoutsChangeForMs = 14 * 86_400_000
/** PostgreSQL takes at most 65,535 values in a statement. */
const chunk = 1000

/** Copies new lines of the balance at Stripe, and the payouts that they went into. Idempotent. */
export function createReadBalance({ db, now, stripe }: ReadBalanceDeps): () => Promise<void> {
  const before = (time: Date, byMs: number) => new Date(time.getTime() - byMs)

  /** Starts at the shop's first payment; older lines of the account belong to other activity. */
  async function firstUnread(): Promise<Date> {
    const [newest] = await db.select({ at: max(balanceTransactions.createdAt) }).from(balanceTransactions)
    if (newest?.at) return before(newest.at, overlapMs)
    const [first] = await db.select({ at: min(payments.paidAt) }).from(payments)
    return before(first?.at ?? now(), overlapMs)
  }

  async function store(lines: BalanceTransaction[], payoutId: string | null) {
    for (let from = 0; from < lines.length; from += chunk) {
      const insert = db
        .insert(balanceTransactions)
        .values(lines.slice(from, from + chunk).map((each) => ({ ...each, payoutId })))
      await (payoutId
        ? insert.onConflictDoUpdate({ target: balanceTransactions.id, set: { payoutId } })
        : insert.onConflictDoNothing())
    }
  }

  async function storePayouts(found: Payout[]) {
    for (const { isReconciled: _, ...payout } of found) {
      const { status, arrivesAt, failure } = payout
      await db
        .insert(payouts)
        .values(payout)
        .onConflictDoUpdate({ target: payouts.id, set: { status, arrivesAt, failure } })
    }
  }

  /** Stripe names the lines of automatic payouts, once it has put them together. */
  async function storeLinesOf(ids: string[]) {
    const unread = await db
      .select({ id: payouts.id })
      .from(payouts)
      .where(and(inArray(payouts.id, ids), eq(payouts.isItemized, false)))
    for (const { id } of unread) {
      await store(await stripe.balance.transactionsOf(id), id)
      await db.update(payouts).set({ isItemized: true }).where(eq(payouts.id, id))
    }
  }

  async function read() {
    const since = await firstUnread()
    const found = await stripe.balance.payoutsSince(before(since, payoutsChangeForMs))
    await storePayouts(found)
    await store(await stripe.balance.transactionsSince(since), null)
    const isNamed = ({ isAutomatic, isReconciled }: Payout) => isAutomatic && isReconciled
    await storeLinesOf(found.filter(isNamed).map(({ id }) => id))
  }

  /** Stores a missing permission for the screens; other failures are thrown. */
  return async function readBalance() {
    let fault: string | null = null
    await read().catch((error: unknown) => {
      if (!(error instanceof StripeRefusal) || error.fault.status !== 403) throw error
      fault = error.fault.message
    })
    const state = { fault, ...(fault === null ? { readAt: now() } : {}) }
    await db
      .insert(balanceReads)
      .values({ id: 1, ...state })
      .onConflictDoUpdate({ target: balanceReads.id, set: state })
  }
}
