import { and, desc, eq, gte, isNull, lt, notExists, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { ranges } from '#contract/desk/figures.ts'
import type { MovementKind } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import { decodeCursor, pageOf } from '#server/database/cursor.ts'
import { mrrMovements, users } from '#server/database/schema.ts'

type Range = (typeof ranges)[number]
type Wanted = {
  limit: number
  cursor?: string | undefined
  kind?: MovementKind | undefined
  month?: string | undefined
  range?: Range | undefined
}

/** When a range begins; all of them end now. */
function since(range: Range | undefined, now: Date): Date | undefined {
  if (range === '30d') return new Date(now.getTime() - 30 * 86_400_000)
  const months = { '3m': 3, '12m': 12, all: null }[range ?? 'all']
  return months === null
    ? undefined
    : new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, now.getUTCDate()))
}

const taker = alias(mrrMovements, 'taker')

/** The people behind each figure. */
export function createFigures({ db, now }: Context) {
  return {
    async movements({ limit, cursor, kind, month, range }: Wanted) {
      const after = decodeCursor(cursor, String.raw`\d{1,18}`)
      const { at, id } = mrrMovements
      const from = since(range, now())
      const [year = 0, place = 1] = (month ?? '').split('-').map(Number)
      const rows = await db
        .select({
          id,
          at,
          kind: mrrMovements.kind,
          cause: mrrMovements.cause,
          arrBefore: mrrMovements.arrBefore,
          arrAfter: mrrMovements.arrAfter,
          user: { id: users.id, name: users.name, email: users.email },
        })
        .from(mrrMovements)
        .innerJoin(users, eq(users.id, mrrMovements.userId))
        .where(
          and(
            // What was taken back is no movement, and neither is taking it back.
            isNull(mrrMovements.corrects),
            notExists(db.select({ id: taker.id }).from(taker).where(eq(taker.corrects, id))),
            kind && eq(mrrMovements.kind, kind),
            month
              ? and(gte(at, new Date(Date.UTC(year, place - 1))), lt(at, new Date(Date.UTC(year, place))))
              : undefined,
            from && gte(at, from),
            after && sql`(${at}, ${id}) < (${after.at}, ${Number(after.id)})`,
          ),
        )
        .orderBy(desc(at), desc(id))
        .limit(limit + 1)
      return pageOf(rows, limit, (row) => ({ at: row.at, id: String(row.id) }))
    },
  }
}
