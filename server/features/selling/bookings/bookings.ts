import { and, eq, inArray, lte, type SQL } from 'drizzle-orm'
import { addMonths, planOf } from '#contract/plans.ts'
import { type BillingType, type BookableStatus, type BookingKind, isExtendable, isLive } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { lockPerson, lockUser } from '#server/database/people.ts'
import { isLivePurchase, purchases } from '#server/database/schema.ts'
import { conflict, invalid, notFound } from '#server/errors.ts'
import type { Accounts } from '#server/features/identity/accounts/accounts.ts'
import { arrOf, type Ledger, movementsOfBooked } from '../ledger/ledger.ts'
import type { Notices } from '../notices/notices.ts'
import { type AccessEffects, insertPurchase, type PurchaseRow, updatePurchase } from '../purchases/purchases.ts'

export type Booking = {
  userId: string
  productId: string
  billingType: BillingType
  amount: number
  status: BookableStatus
  kind?: BookingKind | undefined
  reason?: string | undefined
  endsAt?: Date | undefined
  /** Sends the buyer an email, with a link to choose a password if they have none. */
  invite?: boolean | undefined
}

type BookingDeps = Pick<Context, 'db' | 'now' | 'mails' | 'catalog' | 'audit'> & {
  accounts: Pick<Accounts, 'guests'>
  ledger: Pick<Ledger, 'record'>
  access: Pick<AccessEffects, 'purchasesChanged'>
  notices: Pick<Notices, 'tell'>
}

/**
 * Purchases that the seller booked by hand. Stripe knows nothing of them, so their periods end by our own clock. Each function
 * but the first ignores a purchase that is paid through Stripe.
 */
export type Bookings = {
  add(actor: Actor, booking: Booking): Promise<void>
  book(tx: Transaction, booking: Booking): Promise<PurchaseRow>
  cancel(tx: Transaction, id: string): Promise<void>
  resume(tx: Transaction, id: string): Promise<void>
  /** Moves the end. A cancelled booking without an end has none again when it is resumed. */
  extend(tx: Transaction, id: string, until: Date): Promise<void>
  /** Ends immediately. The seller refunds by hand, since no payment passed through the shop. */
  end(tx: Transaction, id: string): Promise<void>
  /** Ends bookings whose last day has come. */
  endDue(): Promise<void>
}

export function createBookings(deps: BookingDeps): Bookings {
  const { db, now, mails, catalog, audit, accounts, ledger, access, notices } = deps
  type Decide = (row: PurchaseRow) => Partial<PurchaseRow> | null

  /** Locks the row, and queues the buyer's email in the same transaction. */
  async function change(tx: Transaction, id: string, decide: Decide, condition: SQL | undefined = isByHand) {
    const isMeant = and(eq(purchases.id, id), condition)
    const [owner] = await tx.select({ userId: purchases.userId }).from(purchases).where(isMeant)
    if (!owner) return
    await lockPerson(tx, owner.userId)
    const [before] = await tx.select().from(purchases).where(isMeant).for('no key update')
    const decided = before && decide(before)
    if (!decided) return
    const movements = movementsOfBooked({ ...before, ...decided })
    const after = await updatePurchase(tx, id, { ...decided, arr: arrOf(movements) })
    if (!after) return
    await ledger.record(tx, after, movements)
    const hasNext = !isLive(after.status) && (await countLive(tx, after)) > 0
    await access.purchasesChanged(tx, after.userId)
    // No email to a buyer who has subscribed in time and keeps access.
    if (!hasNext) await notices.tell(tx, { before, after })
  }

  async function book(tx: Transaction, booking: Booking): Promise<PurchaseRow> {
    const { userId, productId, billingType, amount, status, kind, reason, endsAt, invite } = booking
    if (!catalog.findById(productId)) throw notFound('Product')
    if (endsAt && endsAt <= now()) throw invalid('endsAt', 'The end must be in the future')
    const user = await lockUser(tx, userId)
    const { wasReset } = await accounts.guests.resetUnproven(tx, userId)
    if (status === 'active' && (await countLive(tx, booking)) > 0)
      throw conflict('already-subscribed', 'This user already has an active subscription')
    const until = status === 'active' ? (endsAt ?? null) : null
    const [createdAt, bookedAs] = [now(), kind ?? null]
    const paid = { billingType, price: amount, status, createdAt, bookedAs, endedAt: null }
    const booked = await insertPurchase(tx, {
      ...paid,
      userId,
      productId,
      orderedAt: createdAt,
      arr: arrOf(movementsOfBooked({ ...paid, endedBecause: null })),
      bookedBecause: reason || null,
      bookedUntil: until,
      endsAt: until,
    })
    await ledger.record(tx, booked, movementsOfBooked(booked))
    await access.purchasesChanged(tx, userId)
    if ((invite || wasReset) && status === 'active')
      await mails.send(tx, user.email, 'purchaseBooked', {
        name: wasReset ? '' : user.name,
        product: (await catalog.findRow(productId)).name,
        isGift: kind === 'gift',
        endsAt: until?.toISOString() ?? null,
        tokenId: await accounts.guests.createFirstPasswordLink(tx, userId),
      })
    return booked
  }

  return {
    book,

    async add(actor, booking) {
      await db.transaction(async (tx) => {
        const { id, userId } = await book(tx, booking)
        // The reason may name the buyer, so the audit log doesn't have it.
        const { reason: _, ...detail } = booking
        await audit.record(tx, actor, { action: 'purchase.add', subject: id, aboutId: userId, detail })
      })
    },

    cancel: (tx, id) =>
      change(tx, id, (row) => {
        if (row.status === 'pending_cancel') return null
        if (row.status !== 'active') throw conflict('not-active', 'Only an active subscription can be cancelled')
        return { status: 'pending_cancel', endsAt: endOfBooking(row, now()) }
      }),

    resume: (tx, id) =>
      change(tx, id, ({ status, bookedUntil }) => {
        if (status === 'active') return null
        if (status !== 'pending_cancel')
          throw conflict('subscription-ended', 'This subscription has ended. You can buy a new one any time.')
        return { status: 'active', endsAt: bookedUntil, leaveReason: null, leaveComment: null }
      }),

    extend: (tx, id, until) =>
      change(tx, id, ({ status, endsAt, bookedUntil }) => {
        if (!isExtendable({ status, paidThrough: 'hand', endsAt }))
          throw conflict('not-active', 'This purchase has no end that could be moved')
        return { endsAt: until, bookedUntil: bookedUntil && until }
      }),

    end: (tx, id) =>
      change(tx, id, ({ status }) =>
        isLive(status) ? { status: 'cancelled', endsAt: null, endedAt: now(), endedBecause: 'cancelled' } : null,
      ),

    async endDue() {
      const isDue = and(inArray(purchases.status, ['active', 'pending_cancel']), lte(purchases.endsAt, now()), isByHand)
      const due = await db.select({ id: purchases.id }).from(purchases).where(isDue)
      const decide: Decide = ({ status, endsAt }) => ({
        ...(status === 'active'
          ? ({ status: 'expired' } as const)
          : ({ status: 'cancelled', endedBecause: 'cancelled' } as const)),
        endsAt: null,
        endedAt: endsAt,
      })
      for (const { id } of due) await db.transaction((tx) => change(tx, id, decide, isDue))
    },
  }
}

const isByHand = eq(purchases.paidThrough, 'hand')

const countLive = (tx: Transaction, { userId, productId }: { userId: string; productId: string }) =>
  tx.$count(purchases, and(eq(purchases.userId, userId), eq(purchases.productId, productId), isLivePurchase))

/** End after a cancellation made now: the booked day, or the end of the present period. */
export const endOfBooking = ({ bookedUntil, createdAt, billingType }: PurchaseRow, now: Date) =>
  bookedUntil ?? periodEnd(createdAt, billingType, now)

function periodEnd(start: Date, billingType: BillingType, now: Date): Date {
  const { months } = planOf(billingType)
  for (let passed = months; ; passed += months) {
    const end = addMonths(start, passed)
    if (end > now) return end
  }
}
