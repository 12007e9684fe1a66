import { sql } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import { access } from '#server/database/schema.ts'
import { counter, createHistogram, type Family, gauge } from '#server/metrics/family.ts'
import type { Connection } from './connection.ts'

export function createMeasures({ db, now, tradingView }: Context, connection: Connection) {
  const unlocks = createHistogram(
    'shop_paid_to_unlocked_seconds',
    'How long buyers waited from having paid and given a name until TradingView let them in.',
    [1, 2, 5, 10, 30, 60, 300, 900, 3600, 86_400],
  )

  return {
    /** Counted from when the buyer was entitled and had given a name. */
    unlockedAfter: (seconds: number) => unlocks.observe({}, seconds),

    ofThisProcess: (): Family[] => [
      counter(
        'shop_tradingview_calls_total',
        'Calls to TradingView, by what came of them.',
        [...tradingView.calls].map(([key, value]) => {
          const [call = '', outcome = ''] = key.split(' ')
          return { labels: { call, outcome }, value }
        }),
      ),
      unlocks.family(),
    ],

    async ofTheDatabase(): Promise<Family[]> {
      const row = await connection.current()
      if (!row || row.state === 'off') return []
      const states = await db
        .select({ state: access.state, count: sql<number>`count(*)::int` })
        .from(access)
        .groupBy(access.state)
      return [
        gauge('shop_tradingview_up', 'Whether buyers are unlocked by themselves.', connection.isWorking(row) ? 1 : 0),
        gauge(
          'shop_tradingview_seconds_since_ok',
          'How long ago a call last succeeded.',
          row.okAt ? (now().getTime() - row.okAt.getTime()) / 1000 : [],
        ),
        gauge(
          'shop_access_people',
          'People, by how far their access on TradingView is.',
          states.map(({ state, count: value }) => ({ labels: { state }, value })),
        ),
      ]
    },
  }
}
