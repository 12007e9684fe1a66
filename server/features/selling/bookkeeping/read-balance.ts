import { and, eq, inArray, max, min } from 'drizzle-orm'
import { dayMs } from '#contract/dates.ts'
import type { Database } from '#server/database/connect.ts'
import { balanceReads, balanceTransactions, payments, payouts } from '#server/database/schema.ts'
import { type BalanceTransaction, type Payout, type StripeGateway, StripeRefusal } from '#server/gateways/stripe.ts'

export type ReadBalanceDeps = { db: Database; now: () => Date; stripe: Pick<StripeGateway, 'balance'> }

/** Reads this much again, because a line or payout may appear at Stripe later than its own time. */
const overlapMs = 3 * dayMs
/** Reads payouts of this time again, because a bank may return one days later. */
const payoutMayFailForMs = 14 * dayMs
/** PostgreSQL takes at most 65,535 values in a statement. */
const rowsPerInsert = 1000

export function createReadBalance({ db, now, stripe }: ReadBalanceDeps): () => Promise<void> {
  const earlier = (time: Date, byMs: number) => new Date(time.getTime() - byMs)

  /** Starts at the shop's first payment, because older lines of the account belong to other activity. */
  async function findCopyStart(): Promise<Date> {
    const [newestLine] = await db.select({ at: max(balanceTransactions.createdAt) }).from(balanceTransactions)
    if (newestLine?.at) return earlier(newestLine.at, overlapMs)
    const [firstPayment] = await db.select({ at: min(payments.paidAt) }).from(payments)
    return earlier(firstPayment?.at ?? now(), overlapMs)
  }

  /** Without a payout, keeps the payout of a line that is stored already. */
  async function storeLines(lines: BalanceTransaction[], payoutId: string | null) {
    for (let from = 0; from < lines.length; from += rowsPerInsert) {
      const rows = lines.slice(from, from + rowsPerInsert).map((line) => ({ ...line, payoutId }))
      const insert = db.insert(balanceTransactions).values(rows)
      if (payoutId) await insert.onConflictDoUpdate({ target: balanceTransactions.id, set: { payoutId } })
      else await insert.onConflictDoNothing()
    }
  }

  async function storePayouts(payoutsAtStripe: Payout[]) {
    for (const { isReconciled: _, ...payout } of payoutsAtStripe) {
      const { status, arrivesAt, failure } = payout
      await db
        .insert(payouts)
        .values(payout)
        .onConflictDoUpdate({ target: payouts.id, set: { status, arrivesAt, failure } })
    }
  }

  async function itemizePayouts(ids: string[]) {
    const unitemized = await db
      .select({ id: payouts.id })
      .from(payouts)
      .where(and(inArray(payouts.id, ids), eq(payouts.isItemized, false)))
    for (const { id } of unitemized) {
      await storeLines(await stripe.balance.transactionsOf(id), id)
      await db.update(payouts).set({ isItemized: true }).where(eq(payouts.id, id))
    }
  }

  async function copyBalance() {
    const since = await findCopyStart()
    const payoutsAtStripe = await stripe.balance.payoutsSince(earlier(since, payoutMayFailForMs))
    await storePayouts(payoutsAtStripe)
    await storeLines(await stripe.balance.transactionsSince(since), null)
    // Stripe tells the lines only of automatic payouts, and only after it has reconciled them.
    const itemizable = payoutsAtStripe.filter(({ isAutomatic, isReconciled }) => isAutomatic && isReconciled)
    await itemizePayouts(itemizable.map(({ id }) => id))
  }

  /** Stores a missing permission for the screens; other failures are thrown. */
  return async function readBalance() {
    let fault: string | null = null
    await copyBalance().catch((error: unknown) => {
      if (!(error instanceof StripeRefusal) || error.fault.status !== 403) throw error
      fault = error.fault.message
    })
    const state = fault === null ? { fault, readAt: now() } : { fault }
    await db
      .insert(balanceReads)
      .values({ id: 1, ...state })
      .onConflictDoUpdate({ target: balanceReads.id, set: state })
  }
}
