import { sql } from 'drizzle-orm'
import { type Counter, Histogram, type Metric } from 'prom-client'
import type { Context } from '#server/context.ts'
import { access } from '#server/database/schema.ts'
import { gauge } from '#server/metrics/gauge.ts'
import type { Connection } from './connection.ts'

type MeasureContext = Pick<Context, 'db' | 'now' | 'tradingView'>

export type Measures = {
  /** Records the time from being entitled with a username until the unlock. */
  observeUnlock(seconds: number): void
  ofThisProcess: (Counter<'call' | 'outcome'> | Histogram)[]
  ofTheDatabase(): Promise<Metric[]>
}

export function createMeasures({ db, now, tradingView }: MeasureContext, connection: Connection): Measures {
  const unlocks = new Histogram({
    name: 'shop_paid_to_unlocked_seconds',
    help: 'How long buyers waited from having paid and given a username until TradingView unlocked them.',
    buckets: [1, 2, 5, 10, 30, 60, 300, 900, 3600, 86_400],
    registers: [],
  })

  return {
    observeUnlock: (seconds) => unlocks.observe(seconds),

    ofThisProcess: [tradingView.calls, unlocks],

    async ofTheDatabase() {
      const row = await connection.current()
      if (!row || row.state === 'off') return []
      const states = await db
        .select({ state: access.state, count: sql<number>`count(*)::int` })
        .from(access)
        .groupBy(access.state)
      return [
        gauge('shop_tradingview_up', 'Whether buyers are unlocked automatically.', connection.isWorking(row) ? 1 : 0),
        gauge(
          'shop_tradingview_seconds_since_ok',
          'How long ago a call last succeeded.',
          row.okAt ? (now().getTime() - row.okAt.getTime()) / 1000 : [],
        ),
        gauge(
          'shop_access_people',
          'People, by state of their access on TradingView.',
          states.map(({ state, count: value }) => ({ labels: { state }, value })),
        ),
      ]
    },
  }
}
