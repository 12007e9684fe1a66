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
  /** Emails the buyer, with a link to choose a password if they have none. */
  invite?: boolean | undefined
}

type BookingDeps = Pick<Context, 'db' | 'now' | 'mails' | 'catalog' | 'audit'> & {
  accounts: Pick<Accounts, 'guests'>
  ledger: Pick<Ledger, 'record'>
  access: Pick<AccessEffects, 'purchasesChanged'>
  notices: Pick<Notices, 'emailAboutChange'>
}

/** Purchases booked by hand, unknown to Stripe. Functions that take an id ignore a purchase paid through Stripe. */
export type Bookings = {
  add(actor: Actor, booking: Booking): Promise<void>
  /** Like `add`, but within the caller's transaction and without an audit entry. */
  book(tx: Transaction, booking: Booking): Promise<PurchaseRow>
  cancel(tx: Transaction, id: string): Promise<void>
  resume(tx: Transaction, id: string): Promise<void>
  extend(tx: Transaction, id: string, until: Date): Promise<void>
  end(tx: Transaction, id: string): Promise<void>
  endDue(): Promise<void>
}

/** Returns null if nothing changes. Throws if the change isn't possible. */
type DecideChanges = (purchase: PurchaseRow) => Partial<PurchaseRow> | null

export function createBookings(deps: BookingDeps): Bookings {
  const { db, now, mails, catalog, audit, accounts, ledger, access, notices } = deps

  /** Locks the user, then the row. */
  async function changeBooking(
    tx: Transaction,
    id: string,
    decideChanges: DecideChanges,
    condition: SQL | undefined = isByHand,
  ) {
    const matches = and(eq(purchases.id, id), condition)
    const [owner] = await tx.select({ userId: purchases.userId }).from(purchases).where(matches)
    if (!owner) return

    await lockPerson(tx, owner.userId)
    const [purchaseBefore] = await tx.select().from(purchases).where(matches).for('no key update')
    const changes = purchaseBefore && decideChanges(purchaseBefore)
    if (!changes) return

    const movements = movementsOfBooked({ ...purchaseBefore, ...changes })
    const purchase = await updatePurchase(tx, id, { ...changes, arr: arrOf(movements) })
    if (!purchase) return
    await ledger.record(tx, purchase, movements)
    await access.purchasesChanged(tx, purchase.userId)

    // An email about the end would be wrong if the buyer has subscribed in time and keeps access.
    const keepsAccess = !isLive(purchase.status) && (await countLive(tx, purchase)) > 0
    if (!keepsAccess) await notices.emailAboutChange(tx, { purchaseBefore, purchase })
  }

  async function book(tx: Transaction, booking: Booking): Promise<PurchaseRow> {
    const { userId, productId, billingType, amount, status, kind, reason, endsAt, invite } = booking
    if (!catalog.findById(productId)) throw notFound('Product')
    if (endsAt && endsAt <= now()) throw invalid('endsAt', 'The end must be in the future')

    const user = await lockUser(tx, userId)
    const { wasReset } = await accounts.guests.resetUnproven(tx, userId)
    if (status === 'active' && (await countLive(tx, booking)) > 0)
      throw conflict('already-subscribed', 'This user already has an active subscription')

    const bookedUntil = status === 'active' ? (endsAt ?? null) : null
    const createdAt = now()
    const bookedAs = kind ?? null
    const revenueColumns = {
      billingType,
      price: amount,
      status,
      createdAt,
      bookedAs,
      endedAt: null,
      endedBecause: null,
    }
    const movements = movementsOfBooked(revenueColumns)
    const booked = await insertPurchase(tx, {
      ...revenueColumns,
      userId,
      productId,
      orderedAt: createdAt,
      arr: arrOf(movements),
      bookedBecause: reason || null,
      bookedUntil,
      endsAt: bookedUntil,
    })
    await ledger.record(tx, booked, movements)
    await access.purchasesChanged(tx, userId)

    // A reset account has no password anymore, so its owner needs the link in any case. A stranger may have chosen its name.
    const mustInvite = invite || wasReset
    if (mustInvite && status === 'active')
      await mails.send(tx, user.email, 'purchaseBooked', {
        name: wasReset ? '' : user.name,
        product: (await catalog.findRow(productId, tx)).name,
        isGift: kind === 'gift',
        endsAt: bookedUntil?.toISOString() ?? null,
        tokenId: await accounts.guests.createFirstPasswordLink(tx, userId),
      })
    return booked
  }

  return {
    book,

    async add(actor, booking) {
      await db.transaction(async (tx) => {
        const { id, userId } = await book(tx, booking)
        // The audit log omits the reason, which may name the buyer.
        const { reason: _, ...detail } = booking
        await audit.record(tx, actor, { action: 'purchase.add', subject: id, aboutId: userId, detail })
      })
    },

    cancel: (tx, id) =>
      changeBooking(tx, id, (purchase) => {
        const { status } = purchase
        if (status === 'pending_cancel') return null
        if (status !== 'active') throw conflict('not-active', 'Only an active subscription can be cancelled')
        return { status: 'pending_cancel', endsAt: endOfBooking(purchase, now()) }
      }),

    resume: (tx, id) =>
      changeBooking(tx, id, ({ status, bookedUntil }) => {
        if (status === 'active') return null
        if (status !== 'pending_cancel')
          throw conflict('subscription-ended', 'This subscription has ended. You can buy a new one any time.')
        return { status: 'active', endsAt: bookedUntil, leaveReason: null, leaveComment: null }
      }),

    extend: (tx, id, until) =>
      changeBooking(tx, id, ({ status, endsAt, bookedUntil }) => {
        if (!isExtendable({ status, paidThrough: 'hand', endsAt }))
          throw conflict('not-active', 'This purchase has no end that could be moved')
        // Keeps `bookedUntil` null for a booking without an end, so that `resume` removes the end of its cancellation.
        return { endsAt: until, bookedUntil: bookedUntil ? until : null }
      }),

    end: (tx, id) =>
      changeBooking(tx, id, ({ status }) => {
        if (!isLive(status)) return null
        return { status: 'cancelled', endsAt: null, endedAt: now(), endedBecause: 'cancelled' }
      }),

    async endDue() {
      const isDue = and(inArray(purchases.status, ['active', 'pending_cancel']), lte(purchases.endsAt, now()), isByHand)
      const due = await db.select({ id: purchases.id }).from(purchases).where(isDue)
      for (const { id } of due) await db.transaction((tx) => changeBooking(tx, id, endOnItsDay, isDue))
    },
  }
}

const isByHand = eq(purchases.paidThrough, 'hand')

const endOnItsDay: DecideChanges = ({ status, endsAt }) => {
  const wasCancelled = status === 'pending_cancel'
  if (!wasCancelled) return { status: 'expired', endsAt: null, endedAt: endsAt }
  return { status: 'cancelled', endedBecause: 'cancelled', endsAt: null, endedAt: endsAt }
}

const countLive = (tx: Transaction, { userId, productId }: { userId: string; productId: string }) =>
  tx.$count(purchases, and(eq(purchases.userId, userId), eq(purchases.productId, productId), isLivePurchase))

export const endOfBooking = ({ bookedUntil, createdAt, billingType }: PurchaseRow, now: Date) =>
  bookedUntil ?? periodEnd(createdAt, billingType, now)

function periodEnd(start: Date, billingType: BillingType, now: Date): Date {
  const { months } = planOf(billingType)
  // Counts months from the start, so that a short month doesn't shift later ends.
  for (let monthsSinceStart = months; ; monthsSinceStart += months) {
    const end = addMonths(start, monthsSinceStart)
    if (end > now) return end
  }
}
