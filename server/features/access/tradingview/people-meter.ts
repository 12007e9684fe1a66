import { and, gt, lte, sql } from 'drizzle-orm'
import type { tradingViewAdmin as calls } from '#contract/access/tradingview-admin.ts'
import { dayMs } from '#contract/dates.ts'
import type { RawOutputOf } from '#contract/endpoint.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/connect.ts'
import { access, isForeign, isLivePurchase, purchases, tvConnection, tvPeople } from '#server/database/schema.ts'

type PeopleMeterDeps = Pick<Context, 'db' | 'now' | 'mails' | 'supportEmail'>

export type PeopleMeter = {
  read(): Promise<RawOutputOf<typeof calls.meter>>
  /** Warns at 90 and at 100 people, each once a month. */
  warn(): Promise<void>
}

/** Days over which new buyers are averaged. */
const paceDays = 30
/** TradingView is reported to charge for more people than these. */
const freePeople = 100
const nearFrom = 90

export function createPeopleMeter({ db, now, mails, supportEmail }: PeopleMeterDeps): PeopleMeter {
  const countEndingBy = (date: Date) =>
    db.$count(access, and(sql`${access.reason} in ('ends', 'unpaid')`, lte(access.until, date)))

  const countBoughtSince = (date: Date) => db.$count(purchases, and(isLivePurchase, gt(purchases.createdAt, date)))

  return {
    async read() {
      const at = now()
      // Day 0 of the next month is the last day of this one.
      const lastDay = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0))
      const monthEndMs = lastDay.getTime() + dayMs
      const daysLeft = Math.max(0, Math.ceil((monthEndMs - at.getTime()) / dayMs))
      const people = await countPeople(db)
      const endBefore = await countEndingBy(new Date(monthEndMs))
      const recentPurchases = await countBoughtSince(new Date(at.getTime() - paceDays * dayMs))
      const newAtThisPace = Math.round((recentPurchases / paceDays) * daysLeft)
      return {
        people,
        foreign: await countForeignUsernames(db),
        lastDay,
        forecast: Math.max(0, people - endBefore + newAtThisPace),
        endBefore,
        newAtThisPace,
        level: levelOf(people),
      }
    },

    async warn() {
      const [row] = await db.select({ state: tvConnection.state }).from(tvConnection)
      if (!row || row.state === 'off') return
      const people = await countPeople(db)
      if (people < nearFrom) return
      const threshold = people >= freePeople ? freePeople : nearFrom
      const occasion = `${threshold} people on TradingView in ${now().toISOString().slice(0, 7)}`
      await mails.sendOnce(occasion, supportEmail, 'tradingViewPeople', { people })
    },
  }
}

function levelOf(people: number) {
  if (people >= freePeople) return 'full' as const
  return people >= nearFrom ? ('near' as const) : ('calm' as const)
}

/** Owners of live purchases, plus other entries on TradingView's lists. */
async function countPeople(db: Database): Promise<number> {
  const [buyers] = await db
    .select({ count: sql<number>`count(distinct ${purchases.userId})::int` })
    .from(purchases)
    .where(isLivePurchase)
  return (buyers?.count ?? 0) + (await countForeignUsernames(db))
}

async function countForeignUsernames(db: Database): Promise<number> {
  const [listed] = await db
    .select({ count: sql<number>`count(distinct ${tvPeople.usernameKey})::int` })
    .from(tvPeople)
    .where(isForeign)
  return listed?.count ?? 0
}
