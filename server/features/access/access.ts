import type { Context, PeoplesRoom } from '#server/context.ts'
import type { TradingViewGateway } from '#server/gateways/tradingview.ts'
import type { Doors } from '#server/http/mount.ts'
import type { Schedules } from '#server/jobs/schedules.ts'
import type { Identity } from '../identity/identity.ts'
import type { Selling } from '../selling/selling.ts'
import { carryAccessOver, createAccessRequests, endAccess } from './access-requests/access-requests.ts'
import { createAssets } from './assets/assets.ts'
import { createEntitlements } from './entitlements/entitlements.ts'
import { createPrivatePackage } from './package/package.ts'
import { createReminders } from './reminders/reminders.ts'
import { mountAccess } from './routes.ts'
import { createConnector, createTradingView } from './tradingview/tradingview.ts'

type Others = { gateway: TradingViewGateway; identity: Identity; selling: Pick<Selling, 'seats'> }

export type Access = ReturnType<typeof openAccess>

/** What buyers get for it. */
export function openAccess(context: Context, { gateway, identity, selling }: Others) {
  const { accounts } = identity
  const connector = createConnector(context, gateway)
  const entitlements = createEntitlements(context, connector)
  const accessRequests = createAccessRequests(context, { accounts, entitlements, connector })
  const tradingView = createTradingView(context, { gateway, connector, entitlements, accessRequests })
  const privatePackage = createPrivatePackage(context, { entitlements })
  const assets = createAssets(context, { entitlements })
  const reminders = createReminders(context, { accounts })
  const people: PeoplesRoom[] = [accessRequests, entitlements]
  const rooms = { accessRequests, tradingView, privatePackage, assets, reminders }
  const schedules: Schedules = {
    'announce-grants': { cron: '* * * * *', run: accessRequests.decisions.announce },
    'hand-over-requests': { cron: '* * * * *', run: accessRequests.askSellerForWaiting },
    'purge-exchange-keys': { cron: '17 * * * *', run: accessRequests.purgeKeys },
    'tradingview-due': { cron: '* * * * *', run: tradingView.catchUp },
    // Long lists are read at one call a second, and two that read at once would disturb each other: a day less an hour.
    'tradingview-reconcile': { cron: '20 3 * * *', run: tradingView.reconcile, leaseSeconds: 23 * 3600 },
    'tradingview-reminder': { cron: '0 8 * * *', run: tradingView.remind },
    'tradingview-history': { cron: '40 3 * * *', run: tradingView.forgetHistory },
  }

  return {
    tradingView,
    entitlements,
    accessRequests,
    privatePackage,
    assets,
    /** What happens here when something happens to purchases. */
    effects: {
      purchasesChanged: entitlements.refresh,
      purchaseEnded: endAccess,
      purchaseReplaced: carryAccessOver,
      usernameGiven: accessRequests.recordUsername,
    },
    people,
    schedules: [schedules],

    prepare: () => tradingView.connectLookAlike(),

    mount: (doors: Doors) => mountAccess(doors, rooms, selling),
  }
}
