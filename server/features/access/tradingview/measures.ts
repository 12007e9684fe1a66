import { sql } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import { access } from '#server/database/schema.ts'
import type { Family, Sample } from '#server/metrics/family.ts'
import type { Connection } from './connection.ts'

const bounds = [1, 2, 5, 10, 30, 60, 300, 900, 3600, 86_400]

/** How the connector is doing, for Prometheus. */
export function createMeasures({ db, now, tradingView }: Context, connection: Connection) {
  const counts = bounds.map(() => 0)
  let [sum, count] = [0, 0]

  return {
    /** Counted from when the buyer was entitled and had given a name. */
    unlockedAfter(seconds: number) {
      bounds.forEach((bound, index) => {
        if (seconds <= bound) counts[index] = (counts[index] ?? 0) + 1
      })
      sum += seconds
      count += 1
    },

    ofThisProcess: (): Family[] => [
      {
        name: 'shop_tradingview_calls_total',
        type: 'counter',
        help: 'Calls to TradingView, by what came of them.',
        samples: [...tradingView.calls].map(([key, value]): Sample => {
          const [call = '', outcome = ''] = key.split(' ')
          return { labels: { call, outcome }, value }
        }),
      },
      {
        name: 'shop_paid_to_unlocked_seconds',
        type: 'histogram',
        help: 'How long buyers waited from having paid and given a name until TradingView let them in.',
        samples: [
          ...bounds.map((le, index) => ({ labels: { le }, value: counts[index] ?? 0, suffix: '_bucket' })),
          { labels: { le: '+Inf' }, value: count, suffix: '_bucket' },
          { value: sum, suffix: '_sum' },
          { value: count, suffix: '_count' },
        ],
      },
    ],

    async ofTheDatabase(): Promise<Family[]> {
      const row = await connection.current()
      if (!row || row.state === 'off') return []
      const states = await db
        .select({ state: access.state, count: sql<number>`count(*)::int` })
        .from(access)
        .groupBy(access.state)
      return [
        {
          name: 'shop_tradingview_up',
          type: 'gauge',
          help: 'Whether buyers are unlocked by themselves.',
          samples: [{ value: connection.isWorking(row) ? 1 : 0 }],
        },
        {
          name: 'shop_tradingview_seconds_since_ok',
          type: 'gauge',
          help: 'How long ago a call last succeeded.',
          samples: row.okAt ? [{ value: (now().getTime() - row.okAt.getTime()) / 1000 }] : [],
        },
        {
          name: 'shop_access_people',
          type: 'gauge',
          help: 'People, by how far their access on TradingView is.',
          samples: states.map(({ state, count: value }) => ({ labels: { state }, value })),
        },
      ]
    },
  }
}
