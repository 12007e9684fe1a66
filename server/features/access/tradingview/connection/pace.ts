import { setTimeout } from 'node:timers/promises'
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '#server/database/connect.ts'
import { lookAlikeHost, TradingViewFailure } from '#server/gateways/tradingview.ts'

/** Whoever types a name at the checkout gets no answer rather than a late one, and never holds up a grant. */
export const hurry = 2000

/**
 * One call a second, three at once after a pause: far below what public tools report as harmless. All processes share
 * one row and the database's clock, so two of them don't call twice as often. Returns how many milliseconds to wait;
 * undefined, and no turn is taken, if it would be more than `atMost` or if there is no connection yet.
 */
export async function nextTurn(
  db: Database,
  atMost?: number,
  now: SQL = sql`clock_timestamp()`,
): Promise<number | undefined> {
  const soonEnough =
    atMost === undefined
      ? sql`true`
      : sql`coalesce(next_call_at <= ${now} + ${atMost} * interval '1 millisecond', true)`
  const { rows } = await db.execute<{ wait: string }>(sql`
    update tv_connection
    set next_call_at = greatest(next_call_at, ${now} - interval '2 seconds') + interval '1 second'
    where ${soonEnough}
    returning extract(epoch from next_call_at - interval '1 second' - ${now}) * 1000 as wait`)
  return rows[0] && Math.max(0, Number(rows[0].wait))
}

/** Nobody minds how often the look-alike is asked. */
export async function waitForTurn(db: Database, host: string, atMost?: number) {
  if (host === lookAlikeHost) return
  const wait = await nextTurn(db, atMost)
  if (wait === undefined && atMost !== undefined)
    throw new TradingViewFailure('passing', 'Too much is asked at the moment.')
  if (wait) await setTimeout(wait)
}
