import { and, count, eq, gte, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import type { Database } from '#server/database/connect.ts'
import { access, contactMessages } from '#server/database/schema.ts'

type Figures = SiteSettings['figures']

export const noFigures: Figures = { secondsToUnlock: null, secondsToAnswer: null }

/** Minimum of cases; fewer say little about what a buyer may expect. */
const minCases = 10
const days = 30

/** Public figures, computed from the records and shown only if there are enough cases. */
export async function publicFigures(db: Database, now: Date): Promise<Figures> {
  const since = new Date(now.getTime() - days * 86_400_000)
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

async function medianSeconds(db: Database, table: PgTable, span: SQL, which: SQL | undefined) {
  const [found] = await db
    .select({
      count: count(),
      seconds: sql<number | null>`percentile_cont(0.5) within group (order by extract(epoch from ${span}))`.mapWith(
        Number,
      ),
    })
    .from(table)
    .where(which)
  return found && found.count >= minCases ? Math.max(1, Math.round(found.seconds ?? 0)) : null
}
