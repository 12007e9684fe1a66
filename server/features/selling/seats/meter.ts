import { and, eq, gt, isNull, lte, sql } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import {
  access,
  isLivePurchase,
  isStranger,
  purchases,
  seatReservations,
  tvConnection,
  tvPeople,
  tvScripts,
  waitlist,
} from '#server/database/schema.ts'
import type { Catalog } from '../catalog/catalog.ts'

type Connected = Database | Transaction

const day = 86_400_000
/** New buyers are counted over this many days. */
const paceDays = 30
/** TradingView is reported to bill for everyone once there are more than this. */
const billedAbove = 100
const nearFrom = 90

/** How many people have access, how many it will be on the month's last day, and when the seller is warned. */
export function createMeter({ db, now, mails, supportEmail, catalog }: Context) {
  const endingBy = (date: Date) =>
    db.$count(access, and(sql`${access.reason} in ('ends', 'unpaid')`, lte(access.until, date)))

  const boughtSince = (date: Date) => db.$count(purchases, and(isLivePurchase, gt(purchases.createdAt, date)))

  return {
    async read() {
      const at = now()
      const lastDay = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0))
      const monthEnd = lastDay.getTime() + day
      const daysLeft = Math.max(0, Math.ceil((monthEnd - at.getTime()) / day))
      const people = await takenSeats(db)
      const limit = await limitOfAll(db, catalog)
      const endBefore = await endingBy(new Date(monthEnd))
      const recent = await boughtSince(new Date(at.getTime() - paceDays * day))
      const newAtThisPace = Math.round((recent / paceDays) * daysLeft)
      return {
        people,
        foreign: await othersListed(db),
        limit,
        lastDay,
        forecast: Math.max(0, people - endBefore + newAtThisPace),
        endBefore,
        newAtThisPace,
        waiting: await db.$count(waitlist, isNull(waitlist.invitedAt)),
        level: levelOf(people),
      }
    },

    /** At 90 and at 100 people, each once a month. */
    async warn() {
      const [row] = await db.select({ state: tvConnection.state }).from(tvConnection)
      if (!row || row.state === 'off') return
      const people = await takenSeats(db)
      const step = people >= billedAbove ? billedAbove : people >= nearFrom ? nearFrom : 0
      if (step === 0) return
      const limit = await limitOfAll(db, catalog)
      const occasion = `seats ${step} ${now().toISOString().slice(0, 7)}`
      await mails.sendOnce(occasion, supportEmail, 'tradingViewSeats', { people, limit })
    },
  }
}

function levelOf(people: number) {
  if (people >= billedAbove) return 'full' as const
  return people >= nearFrom ? ('near' as const) : ('calm' as const)
}

/** How many people may have a product, and whether visitors see it. The desk's number is the first product's. */
export async function limitOf(db: Connected, catalog: Catalog, productId: string) {
  const [row] = await db.select({ limit: tvConnection.seatLimit, shows: tvConnection.showsSeats }).from(tvConnection)
  const own = catalog.byId(productId)?.seats ?? null
  const limit = productId === catalog.first().id ? (row?.limit ?? own) : own
  return { limit, shows: row?.shows ?? false }
}

/** Of all products together; without one of them, there is no limit. */
async function limitOfAll(db: Connected, catalog: Catalog) {
  const limits = await Promise.all(catalog.onSale().map(async ({ id }) => (await limitOf(db, catalog, id)).limit))
  return limits.reduce((sum, limit) => (sum === null || limit === null ? null : sum + limit), 0)
}

/** Everyone with a live purchase has a seat, and everyone else whom TradingView lists; without a product, of all of them. */
export async function takenSeats(db: Connected, productId?: string): Promise<number> {
  const buyers = await db
    .select({ count: sql<number>`count(distinct ${purchases.userId})::int` })
    .from(purchases)
    .where(and(productId ? eq(purchases.productId, productId) : undefined, isLivePurchase))
  return (buyers[0]?.count ?? 0) + (await othersListed(db, productId))
}

async function othersListed(db: Connected, productId?: string): Promise<number> {
  const rows = await db
    .select({ count: sql<number>`count(distinct ${tvPeople.usernameKey})::int` })
    .from(tvPeople)
    .innerJoin(tvScripts, eq(tvScripts.id, tvPeople.scriptId))
    .where(and(isStranger, productId ? eq(tvScripts.productId, productId) : undefined))
  return rows[0]?.count ?? 0
}

export const reservedSeats = (db: Connected, productId: string, at: Date) =>
  db.$count(seatReservations, and(eq(seatReservations.productId, productId), gt(seatReservations.expiresAt, at)))
