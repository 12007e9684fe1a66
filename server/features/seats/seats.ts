import { and, eq, inArray, isNotNull, lte, sql } from 'drizzle-orm'
import { reboundSigmaPro } from '#contract/price-list.ts'
import { soldOut } from '#contract/seats.ts'
import type { Actor, User } from '../../actor.ts'
import type { Database, Transaction } from '../../database/connect.ts'
import { purchases, seatReservations, users, waitlist } from '../../database/schema.ts'
import { conflict } from '../../errors.ts'
import { isEntitling } from '../entitlements/entitlements.ts'
import type { Mails } from '../mails/mails.ts'
import { limitOf, reservedSeats, takenSeats } from './counts.ts'
import { createMeter } from './meter.ts'
import { createWaitingList } from './waiting-list.ts'

type Dependencies = { db: Database; now: () => Date; mails: Mails; supportEmail: string }

/** So long a seat is kept for someone who is paying. */
const reservedFor = 15 * 60_000

/** For the pages: most shops have no limit, and their visitors need not ask. */
export const seatsAreLimited = async (db: Database) => (await limitOf(db)).limit !== null

export type Seats = ReturnType<typeof createSeats>

/** How many people have access, how many may have it, and who waits for a seat. */
export function createSeats(deps: Dependencies) {
  const { db, now } = deps

  /** Whose purchase was booked by hand until a day buys the next one while sitting. */
  async function hasSeat(tx: Transaction, userId: string, productId: string) {
    const isTheirs = and(eq(purchases.userId, userId), eq(purchases.productId, productId), isEntitling)
    return (await tx.$count(purchases, isTheirs)) > 0
  }

  return {
    ...createWaitingList(deps),
    ...createMeter(deps),

    /** Before a checkout begins; two who want the last seat take turns at the lock. */
    async reserve({ user }: Actor<User | null>, email: string, productId: string) {
      const { limit } = await limitOf(db)
      if (limit === null) return
      const holder = user?.id ?? email
      await db.transaction(async (tx) => {
        await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${`seats ${productId}`}))`)
        await tx.delete(seatReservations).where(lte(seatReservations.expiresAt, now()))
        const expiresAt = new Date(now().getTime() + reservedFor)
        const renewed = await tx
          .update(seatReservations)
          .set({ expiresAt })
          .where(and(eq(seatReservations.productId, productId), eq(seatReservations.holder, holder)))
        if (renewed.rowCount || (user && (await hasSeat(tx, user.id, productId)))) return
        if ((await takenSeats(tx, productId)) + (await reservedSeats(tx, productId, now())) >= limit)
          throw conflict(soldOut)
        await tx.insert(seatReservations).values({ productId, holder, expiresAt })
      })
    },

    /** The seat is bought: it counts as taken, no longer as reserved. */
    async release(tx: Transaction, holders: string[], productId: string) {
      for (const holder of holders)
        await tx
          .delete(seatReservations)
          .where(and(eq(seatReservations.productId, productId), eq(seatReservations.holder, holder)))
    },

    async show() {
      const { limit, shows } = await limitOf(db)
      if (limit === null) return { isSoldOut: false, shown: null }
      const taken = await takenSeats(db, reboundSigmaPro.id)
      const reserved = await reservedSeats(db, reboundSigmaPro.id, now())
      return {
        isSoldOut: taken + reserved >= limit,
        shown: shows ? { taken: Math.min(taken, limit), limit } : null,
      }
    },

    /** Before the account loses its address: whoever waits, or pays as a guest, is known by that alone. */
    async forget(tx: Transaction, userId: string) {
      const [person] = await tx.select({ email: users.email }).from(users).where(eq(users.id, userId))
      const holders = [userId, ...(person ? [person.email] : [])]
      await tx.delete(seatReservations).where(inArray(seatReservations.holder, holders))
      await tx.delete(waitlist).where(inArray(waitlist.email, holders))
    },

    /** Only for a proven address: typing one does not make it yours. */
    async dataOf(userId: string) {
      const rows = await db
        .select({ email: waitlist.email, since: waitlist.createdAt, invitedAt: waitlist.invitedAt })
        .from(waitlist)
        .innerJoin(users, eq(users.email, waitlist.email))
        .where(and(eq(users.id, userId), isNotNull(users.verifiedAt)))
      return { waitingList: rows }
    },
  }
}
