import { and, eq, isNull, lte, type SQL } from 'drizzle-orm'
import type { BillingType } from '#contract/statuses.ts'
import type { Database } from '../../database/connect.ts'
import { purchases, users } from '../../database/schema.ts'
import { conflict } from '../../errors.ts'
import { endAccess } from '../access-requests/access-requests.ts'
import { type Entitlements, givesAccess } from '../entitlements/entitlements.ts'
import type { PurchaseRow } from './lookup.ts'
import type { createNotifications } from './notifications.ts'

type Dependencies = {
  db: Database
  now: () => Date
  entitlements: Pick<Entitlements, 'refresh'>
  notify: ReturnType<typeof createNotifications>
}

/** Purchases that the seller booked by hand. Stripe knows nothing of them, so their periods end by our own clock. */
export function createBooked({ db, now, entitlements, notify }: Dependencies) {
  /** Decides on the row while nobody else can change it; what the buyer is told is queued with the change. */
  async function change(which: SQL | undefined, decide: (row: PurchaseRow) => Partial<PurchaseRow> | null) {
    await db.transaction(async (tx) => {
      const [before] = await tx
        .select()
        .from(purchases)
        .where(and(which, isNull(purchases.stripeSubscriptionId)))
        .for('update')
      const wanted = before && decide(before)
      if (!wanted) return
      const [after] = await tx.update(purchases).set(wanted).where(eq(purchases.id, before.id)).returning()
      if (!after) return
      if (!givesAccess(after.status)) await endAccess(tx, { purchaseId: after.id }, now())
      await entitlements.refresh(tx, after.userId)
      const [to] = await tx.select().from(users).where(eq(users.id, after.userId))
      if (to && !to.deletedAt) await notify(tx, { before, after, to, attached: false, paidInvoiceId: null })
    })
  }

  return {
    cancel: (id: string) =>
      change(eq(purchases.id, id), ({ status, createdAt, billingType }) => {
        if (status === 'pending_cancel') return null
        if (status !== 'active') throw conflict('Only an active subscription can be cancelled')
        return { status: 'pending_cancel', endsAt: periodEnd(createdAt, billingType, now()) }
      }),

    resume: (id: string) =>
      change(eq(purchases.id, id), ({ status }) => {
        if (status === 'active') return null
        if (status !== 'pending_cancel')
          throw conflict('This subscription has ended. You can buy a new one at any time.')
        return { status: 'active', endsAt: null }
      }),

    /** Immediately: no payment of it passed through the shop, so the seller pays back what there was. */
    end: (id: string) =>
      change(eq(purchases.id, id), ({ status }) =>
        givesAccess(status)
          ? { status: 'cancelled', endsAt: null, endedAt: now(), endedBecause: 'cancelled' }
          : null,
      ),

    /** Ends what was cancelled and whose period is over. */
    async endDue() {
      const isDue = and(eq(purchases.status, 'pending_cancel'), lte(purchases.endsAt, now()))
      const due = await db
        .select({ id: purchases.id })
        .from(purchases)
        .where(and(isDue, isNull(purchases.stripeSubscriptionId)))
      for (const { id } of due)
        await change(and(eq(purchases.id, id), isDue), ({ endsAt }) => ({
          status: 'cancelled',
          endsAt: null,
          endedAt: endsAt,
          endedBecause: 'cancelled',
        }))
    },
  }
}

/** When the period ends that runs now, counted from the booking as Stripe counts: the 31st is the 30th in a shorter month. */
function periodEnd(start: Date, billingType: BillingType, now: Date): Date {
  const months = billingType === 'yearly' ? 12 : 1
  for (let passed = months; ; passed += months) {
    const end = new Date(start)
    end.setUTCMonth(start.getUTCMonth() + passed)
    // Too long for its month, the day has run over into the next one.
    if (end.getUTCDate() !== start.getUTCDate()) end.setUTCDate(0)
    if (end > now) return end
  }
}
