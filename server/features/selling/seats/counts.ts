import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#server/database/connect.ts'
import { isLivePurchase } from '#server/database/live-purchase.ts'
import { purchases, seatReservations, tvConnection, tvGrants } from '#server/database/schema.ts'

type Books = Database | Transaction

/** How many people may have access, and whether visitors see it. */
export async function limitOf(db: Books) {
  const [row] = await db
    .select({ limit: tvConnection.seatLimit, shows: tvConnection.showsSeats })
    .from(tvConnection)
  return { limit: row?.limit ?? null, shows: row?.shows ?? false }
}

/** Everyone with a live purchase has a seat, and so does anyone else whom TradingView lists. */
export async function takenSeats(db: Books, productId: string): Promise<number> {
  const buyers = await db
    .select({ count: sql<number>`count(distinct ${purchases.userId})::int` })
    .from(purchases)
    .where(and(eq(purchases.productId, productId), isLivePurchase))
  return (buyers[0]?.count ?? 0) + (await strangers(db))
}

export async function strangers(db: Books): Promise<number> {
  const rows = await db
    .select({ count: sql<number>`count(distinct ${tvGrants.usernameKey})::int` })
    .from(tvGrants)
    .where(and(isNull(tvGrants.userId), eq(tvGrants.isPresent, true)))
  return rows[0]?.count ?? 0
}

export const reservedSeats = (db: Books, productId: string, at: Date) =>
  db.$count(
    seatReservations,
    and(eq(seatReservations.productId, productId), gt(seatReservations.expiresAt, at)),
  )
