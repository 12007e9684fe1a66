import { and, count, eq, gte, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { dayMs } from '#contract/dates.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import type { Database } from '#server/database/connect.ts'
import { access, contactMessages } from '#server/database/schema.ts'

type Figures = SiteSettings['figures']

export const noFigures: Figures = { secondsToUnlock: null, secondsToAnswer: null }

/** Fewer cases say little about how long a buyer will wait. */
const minCases = 10
const windowDays = 30

/** Medians, null if there are fewer than `minCases`. */
export async function publicFigures(db: Database, now: Date): Promise<Figures> {
  const since = new Date(now.getTime() - windowDays * dayMs)
  const [secondsToUnlock, secondsToAnswer] = await Promise.all([
    medianSeconds(
      db,
      access,
      sql`${access.stateSince} - ${access.askedAt}`,
      and(
        eq(access.state, 'unlocked'),
        isNotNull(access.askedAt),
        gte(access.stateSince, since),
        gte(access.stateSince, access.askedAt),
      ),
    ),
    medianSeconds(
      db,
      contactMessages,
      sql`${contactMessages.answeredAt} - ${contactMessages.createdAt}`,
      gte(contactMessages.answeredAt, since),
    ),
  ])
  return { secondsToUnlock, secondsToAnswer }
}

async function medianSeconds(db: Database, table: PgTable, duration: SQL, condition: SQL | undefined) {
  const [found] = await db
    .select({
      count: count(),
      seconds: sql<number | null>`percentile_cont(0.5) within group (order by extract(epoch from ${duration}))`.mapWith(
        Number,
      ),
    })
    .from(table)
    .where(condition)
  if (!found || found.count < minCases) return null
  return Math.max(1, Math.round(found.seconds ?? 0))
}
