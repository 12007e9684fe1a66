import { reboundSigmaPro } from '#contract/price-list.ts'
import type { privatePackage } from '#contract/private-package.ts'
import { Refusal } from '../../errors.ts'
import type { Handlers } from '../../http/mount.ts'

type Purchases = { owns(userId: string, productId: string): Promise<boolean> }
type Links = { indicatorUrl: string; strategyUrl: string }

const setupNotes = [
  'Use daily charts. The rules are built for closing prices, not for intraday moves.',
  'Signals are confirmed at the close of the bar. Wait for it before you act.',
  'Start with the default settings. Change one at a time, and backtest the change with the strategy version.',
  'The free TradingView plan works. A paid plan is recommended for multiple alerts.',
]

const quickInstructions = [
  'Open the indicator link while you are logged in to TradingView, and add it to your favourites.',
  'Open a symbol of the Rebound List on the daily chart and add the indicator to it.',
  'Load the strategy version to see how the rules would have done on that symbol.',
  'Create an alert on the entry signal, triggered once per bar close.',
  'Exit by the rules. The typical holding period is 2–5 days.',
]

/** What only owners may see; the rest of the package lies on TradingView. */
export const privatePackageRoutes = (
  links: Links,
  purchases: Purchases,
): Handlers<typeof privatePackage> => ({
  show: async (_input, { actor }) => {
    if (!(await purchases.owns(actor.user.id, reboundSigmaPro.id)))
      throw new Refusal(403, 'This is for owners of Rebound Sigma Pro with a live subscription.')
    return { ...links, setupNotes, quickInstructions }
  },
})
