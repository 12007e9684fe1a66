import type { Schedules } from '#server/jobs/schedules.ts'
import type { TradingView } from './connector.ts'

export const tradingViewSchedules = (
  tradingView: TradingView,
  reconcile: () => Promise<void>,
): Schedules => ({
  'tradingview-due': { cron: '* * * * *', run: tradingView.catchUp },
  'tradingview-reconcile': { cron: '20 3 * * *', run: reconcile },
  'tradingview-reminder': { cron: '0 8 * * *', run: tradingView.connections.remind },
  'tradingview-history': { cron: '40 3 * * *', run: tradingView.forgetHistory },
})
