import { reboundSigmaPro } from '#contract/selling/price-list.ts'
import type { Context } from '#server/context.ts'
import { Refusal } from '#server/errors.ts'
import type { AccessRoom } from '../access/access.ts'

type Others = Pick<AccessRoom, 'owns'>

const setupNotes = [
  'Use daily charts. The rules are built for closing prices, not for intraday moves.',
  'Signals are confirmed at the close of the bar. Wait for it before you act.',
  'Start with the default settings. Change one at a time, and backtest the change with the strategy version.',
  'The free TradingView plan works. A paid plan is recommended for multiple alerts.',
]

const quickInstructions = [
  'Open the indicator link while you’re logged in to TradingView and add it to your favorites.',
  'Open a symbol from the Rebound List on the daily chart and add the indicator.',
  'Load the strategy version to see how the rules would have done on that symbol.',
  'Create an alert on the entry signal, triggered once per bar close.',
  'Exit by the rules. The typical holding period is 2–5 days.',
]

export type PrivatePackage = ReturnType<typeof createPrivatePackage>

/** What only owners may see; the rest of the package is on TradingView. */
export function createPrivatePackage({ settings }: Context, { owns }: Others) {
  return {
    async show(userId: string) {
      if (!(await owns(userId, reboundSigmaPro.id)))
        throw new Refusal(
          403,
          'not-an-owner',
          'This is for owners of Rebound Sigma Pro with a live subscription.',
        )
      return { ...settings.live.package, setupNotes, quickInstructions }
    },
  }
}
