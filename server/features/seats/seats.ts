import { and, eq, gt, isNull, lte, or, sql } from 'drizzle-orm'
import { products, reboundSigmaPro } from '#contract/price-list.ts'
import { keptSince, retention } from '#contract/retention.ts'
import type { Actor, User } from '../../actor.ts'
import type { Database, Transaction } from '../../database/connect.ts'
import {
  entitlements,
  purchases,
  seatReservations,
  tvConnection,
  tvGrants,
  waitlist,
} from '../../database/schema.ts'
import { conflict } from '../../errors.ts'
import { isEntitling } from '../entitlements/entitlements.ts'
import type { Mails } from '../mails/mails.ts'

type Dependencies = { db: Database; now: () => Date; mails: Mails; supportEmail: string }

const minute = 60_000
const day = 86_400_000
/** So long a seat is kept for someone who is paying. */
const reservedFor = 15 * minute
/** TradingView is reported to bill for each person above this. */
const billedAbove = 100
const nearFrom = 90

/** For the pages: most shops have no limit, and their visitors need not ask. */
export async function seatsAreLimited(db: Database): Promise<boolean> {
  const [row] = await db.select({ limit: tvConnection.seatLimit }).from(tvConnection)
  return typeof row?.limit === 'number'
}

export type Seats = ReturnType<typeof createSeats>

/** How many people have access, how many may have it, and who waits for a seat. */
export function createSeats({ db, now, mails, supportEmail }: Dependencies) {
  async function limitOf(tx: Database | Transaction) {
    const [row] = await tx
      .select({ limit: tvConnection.seatLimit, shows: tvConnection.showsSeats, state: tvConnection.state })
      .from(tvConnection)
    return { limit: row?.limit ?? null, shows: row?.shows ?? false }
  }

  /** Everyone with a live purchase has a seat, and so has whoever TradingView lists besides. */
  async function taken(tx: Database | Transaction, productId: string): Promise<number> {
    const buyers = await tx
      .select({ count: sql<number>`count(distinct ${purchases.userId})::int` })
      .from(purchases)
      .where(and(eq(purchases.productId, productId), isEntitling))
    return (buyers[0]?.count ?? 0) + (await strangers(tx))
  }

  async function strangers(tx: Database | Transaction) {
    const rows = await tx
      .select({ count: sql<number>`count(distinct ${tvGrants.usernameKey})::int` })
      .from(tvGrants)
      .where(and(isNull(tvGrants.userId), eq(tvGrants.isPresent, true)))
    return rows[0]?.count ?? 0
  }

  const reserved = (tx: Database | Transaction, productId: string) =>
    tx.$count(
      seatReservations,
      and(eq(seatReservations.productId, productId), gt(seatReservations.expiresAt, now())),
    )

  const holderOf = (user: User | null, email: string) => user?.id ?? email

  return {
    /** Before a checkout begins; two who want the last seat take turns at the lock. */
    async reserve({ user }: Actor<User | null>, email: string, productId: string) {
      const { limit } = await limitOf(db)
      if (limit === null) return
      const holder = holderOf(user, email)
      await db.transaction(async (tx) => {
        await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${`seats ${productId}`}))`)
        await tx.delete(seatReservations).where(lte(seatReservations.expiresAt, now()))
        const expiresAt = new Date(now().getTime() + reservedFor)
        const renewed = await tx
          .update(seatReservations)
          .set({ expiresAt })
          .where(and(eq(seatReservations.productId, productId), eq(seatReservations.holder, holder)))
        if (renewed.rowCount) return
        if ((await taken(tx, productId)) + (await reserved(tx, productId)) >= limit)
          throw conflict('All seats are taken at the moment. We can tell you when one is free.')
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
      const [count, kept] = [await taken(db, reboundSigmaPro.id), await reserved(db, reboundSigmaPro.id)]
      return {
        isSoldOut: count + kept >= limit,
        shown: shows ? { taken: Math.min(count, limit), limit } : null,
      }
    },

    /** Says nothing about who is already on it. */
    async join(email: string) {
      await db
        .insert(waitlist)
        .values({ email, productId: reboundSigmaPro.id, createdAt: now() })
        .onConflictDoUpdate({
          target: [waitlist.productId, waitlist.email],
          set: { createdAt: now(), invitedAt: null },
          setWhere: sql`${waitlist.invitedAt} is not null`,
        })
    },

    /** As many invitations as there are free seats; those invited in the last day keep theirs. */
    async invite() {
      const invitedBefore = new Date(now().getTime() - 7 * day)
      await db
        .delete(waitlist)
        .where(
          or(
            lte(waitlist.createdAt, keptSince(now(), retention.waitlist)),
            lte(waitlist.invitedAt, invitedBefore),
          ),
        )
      for (const { id: productId, name: product, slug } of products) {
        const { limit } = await limitOf(db)
        await db.transaction(async (tx) => {
          const recently = await tx.$count(
            waitlist,
            and(eq(waitlist.productId, productId), gt(waitlist.invitedAt, new Date(now().getTime() - day))),
          )
          const free =
            limit === null
              ? Number.MAX_SAFE_INTEGER
              : limit - (await taken(tx, productId)) - (await reserved(tx, productId)) - recently
          if (free <= 0) return
          const next = await tx
            .select()
            .from(waitlist)
            .where(and(eq(waitlist.productId, productId), isNull(waitlist.invitedAt)))
            .orderBy(waitlist.createdAt)
            .limit(Math.min(free, 100))
            .for('update', { skipLocked: true })
          for (const { id, email } of next) {
            await tx.update(waitlist).set({ invitedAt: now() }).where(eq(waitlist.id, id))
            await mails.send(tx, email, 'seatFree', { product, slug })
          }
        })
      }
    },

    async meter() {
      const productId = reboundSigmaPro.id
      const at = now()
      const lastDay = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0))
      const { limit } = await limitOf(db)
      const [people, foreign] = [await taken(db, productId), await strangers(db)]
      const ending = await db
        .select({ count: sql<number>`count(*)::int` })
        .from(entitlements)
        .where(
          and(
            eq(entitlements.productId, productId),
            sql`${entitlements.reason} in ('ends', 'unpaid')`,
            lte(entitlements.until, new Date(lastDay.getTime() + day)),
          ),
        )
      const recent = await db
        .select({ count: sql<number>`count(*)::int` })
        .from(purchases)
        .where(
          and(
            eq(purchases.productId, productId),
            isEntitling,
            gt(purchases.createdAt, new Date(at.getTime() - 30 * day)),
          ),
        )
      const daysLeft = Math.max(0, Math.ceil((lastDay.getTime() + day - at.getTime()) / day))
      const newAtThisPace = Math.round(((recent[0]?.count ?? 0) / 30) * daysLeft)
      const endBefore = ending[0]?.count ?? 0
      const ceiling = limit ?? billedAbove
      return {
        people,
        foreign,
        limit,
        lastDay,
        forecast: Math.max(0, people - endBefore + newAtThisPace),
        endBefore,
        newAtThisPace,
        waiting: await db.$count(waitlist, isNull(waitlist.invitedAt)),
        level:
          people >= ceiling
            ? ('full' as const)
            : people >= (ceiling * nearFrom) / 100
              ? ('near' as const)
              : ('calm' as const),
      }
    },

    /** At 90 and at 100 people, once each a month. */
    async warn() {
      const [row] = await db.select({ state: tvConnection.state }).from(tvConnection)
      if (!row || row.state === 'off') return
      const { limit } = await limitOf(db)
      const people = await taken(db, reboundSigmaPro.id)
      const step = people >= billedAbove ? billedAbove : people >= nearFrom ? nearFrom : 0
      if (step > 0)
        await mails.sendOnce(
          `seats ${step} ${now().toISOString().slice(0, 7)}`,
          supportEmail,
          'tradingViewSeats',
          { people, limit },
        )
    },

    async forget(tx: Transaction, userId: string) {
      await tx.delete(seatReservations).where(eq(seatReservations.holder, userId))
    },
  }
}
