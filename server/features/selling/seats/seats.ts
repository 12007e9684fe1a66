import { and, eq, gt, inArray, isNull, lte, or, sql } from 'drizzle-orm'
import { keptSince, retention } from '#contract/retention.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { isLivePurchase, purchases, seatReservations, waitlist } from '#server/database/schema.ts'
import { conflict, notFound } from '#server/errors.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { createMeter, limitOf, reservedSeats, takenSeats } from './meter.ts'

/** Who pays: an account, or a guest by their address. */
type Buyer = { userId: string | null; email: string }

/** The page then offers the waiting list. */
const soldOut = () => conflict('sold-out', 'All seats are taken at the moment. We can tell you when one is free.')

const reservedFor = 15 * 60_000

/** For the pages: most shops have no limit, and their visitors need not ask. */
export async function seatsAreLimited(db: Database, catalog: Catalog) {
  const limits = await Promise.all(catalog.onSale().map(({ id }) => limitOf(db, catalog, id)))
  return limits.some(({ limit }) => limit !== null)
}

export type Seats = ReturnType<typeof createSeats>

export function createSeats(context: Context) {
  const { db, now, attempts, catalog } = context

  const takeTurns = (tx: Transaction, productId: string) =>
    tx.execute(sql`select pg_advisory_xact_lock(hashtext(${`seats ${productId}`}))`)

  const isFree = async (tx: Database | Transaction, productId: string, limit: number) =>
    (await takenSeats(tx, productId)) + (await reservedSeats(tx, productId, now())) < limit

  /** Reserved for them, or already theirs: one who was booked by hand until a day may subscribe before it ends. */
  async function isTheirs(tx: Database | Transaction, { userId, email }: Buyer, productId: string) {
    const kept = await tx.$count(
      seatReservations,
      and(
        eq(seatReservations.productId, productId),
        eq(seatReservations.holder, userId ?? email),
        gt(seatReservations.expiresAt, now()),
      ),
    )
    return kept > 0 || (userId !== null && (await hasSeat(tx, userId, productId)))
  }

  async function hasSeat(tx: Database | Transaction, userId: string, productId: string) {
    const isMine = and(eq(purchases.userId, userId), eq(purchases.productId, productId), isLivePurchase)
    return (await tx.$count(purchases, isMine)) > 0
  }

  /** Without a limit, one network could keep every free seat from buyers, and never pay. */
  const mayKeep = async (tx: Transaction, ip: string) =>
    (await attempts.allowsFrom('seat', ip, { requests: 3, seconds: reservedFor / 1000 }, { tx })) &&
    (await attempts.allowsFrom('seats of a day', ip, { requests: 12, seconds: 86_400 }, { tx }))

  return {
    waitingList: createWaitingList(context),
    meter: createMeter(context),

    /** Before a checkout begins. Nothing is reserved yet: filling in a form is not buying. */
    async insistOnFree(buyer: Buyer, productId: string) {
      const { limit } = await limitOf(db, catalog, productId)
      if (limit === null || (await isTheirs(db, buyer, productId))) return
      if (!(await isFree(db, productId, limit))) throw soldOut()
    },

    /** Before the card is charged, for 15 minutes. Beyond what one network may keep, first come, first served. */
    async reserve(buyer: Buyer, productId: string, ip: string) {
      const { limit } = await limitOf(db, catalog, productId)
      if (limit === null) return
      await db.transaction(async (tx) => {
        await takeTurns(tx, productId)
        await tx.delete(seatReservations).where(lte(seatReservations.expiresAt, now()))
        if (await isTheirs(tx, buyer, productId)) return
        if (!(await isFree(tx, productId, limit))) throw soldOut()
        if (!(await mayKeep(tx, ip))) return
        const expiresAt = new Date(now().getTime() + reservedFor)
        await tx.insert(seatReservations).values({ productId, holder: buyer.userId ?? buyer.email, expiresAt })
      })
    },

    /** The money has arrived. False if the 15 minutes were over and the seat went to someone else. */
    async take(tx: Transaction, { userId, email }: Buyer & { userId: string }, productId: string) {
      const { limit } = await limitOf(tx, catalog, productId)
      if (limit !== null) await takeTurns(tx, productId)
      const released = await tx
        .delete(seatReservations)
        .where(and(eq(seatReservations.productId, productId), inArray(seatReservations.holder, [userId, email])))
        .returning()
      if (limit === null || released.some(({ expiresAt }) => expiresAt > now())) return true
      return (await hasSeat(tx, userId, productId)) || isFree(tx, productId, limit)
    },

    async show(slug = catalog.first().slug) {
      const productId = catalog.bySlug(slug)?.id
      if (!productId) throw notFound('Product')
      const { limit, shows } = await limitOf(db, catalog, productId)
      if (limit === null) return { isSoldOut: false, shown: null }
      const taken = await takenSeats(db, productId)
      const reserved = await reservedSeats(db, productId, now())
      return { isSoldOut: taken + reserved >= limit, shown: shows ? { taken: Math.min(taken, limit), limit } : null }
    },
  }
}

const day = 86_400_000
const keptAfterInvitation = 7 * day
const mostInvitations = 100

function createWaitingList({ db, now, mails, catalog }: Context) {
  const ago = (milliseconds: number) => new Date(now().getTime() - milliseconds)

  async function forgetOld() {
    await db
      .delete(waitlist)
      .where(
        or(
          lte(waitlist.createdAt, keptSince(now(), retention.waitlist)),
          lte(waitlist.invitedAt, ago(keptAfterInvitation)),
        ),
      )
    await db.delete(seatReservations).where(lte(seatReservations.expiresAt, now()))
  }

  /** Those invited in the last day keep theirs. */
  async function freeSeats(tx: Transaction, productId: string): Promise<number> {
    const { limit } = await limitOf(tx, catalog, productId)
    if (limit === null) return mostInvitations
    const invited = await tx.$count(waitlist, and(eq(waitlist.productId, productId), gt(waitlist.invitedAt, ago(day))))
    const kept = await reservedSeats(tx, productId, now())
    return limit - (await takenSeats(tx, productId)) - kept - invited
  }

  return {
    /** Says nothing about who is already on it. */
    async join(email: string, slug = catalog.first().slug) {
      const productId = catalog.bySlug(slug)?.id
      if (!productId) throw notFound('Product')
      await db
        .insert(waitlist)
        .values({ email, productId, createdAt: now() })
        .onConflictDoUpdate({
          target: [waitlist.productId, waitlist.email],
          set: { createdAt: now(), invitedAt: null },
          setWhere: sql`${waitlist.invitedAt} is not null`,
        })
    },

    async invite() {
      await forgetOld()
      for (const { id: productId, name: product, slug } of catalog.onSale())
        await db.transaction(async (tx) => {
          const free = await freeSeats(tx, productId)
          if (free <= 0) return
          const next = await tx
            .select()
            .from(waitlist)
            .where(and(eq(waitlist.productId, productId), isNull(waitlist.invitedAt)))
            .orderBy(waitlist.createdAt)
            .limit(Math.min(free, mostInvitations))
            .for('update', { skipLocked: true })
          for (const { id, email } of next) {
            await tx.update(waitlist).set({ invitedAt: now() }).where(eq(waitlist.id, id))
            await mails.send(tx, email, 'seatFree', { product, slug })
          }
        })
    },
  }
}
