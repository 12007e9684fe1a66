import { contract } from '#contract/index.ts'
import type { Context, PeoplesRoom } from '#server/context.ts'
import type { TradingViewGateway } from '#server/gateways/tradingview.ts'
import type { Doors } from '#server/http/mount.ts'
import type { Identity } from '../identity/identity.ts'
import type { Selling } from '../selling/selling.ts'
import { carryAccessOver, createAccessRequests, endAccess } from './access-requests/access-requests.ts'
import { accessRequestRoutes } from './access-requests/routes.ts'
import { accessRequestSchedules } from './access-requests/schedules.ts'
import { createAssets } from './assets/assets.ts'
import { assetRoutes } from './assets/routes.ts'
import { createEntitlements } from './entitlements/entitlements.ts'
import { createPrivatePackage } from './package/package.ts'
import { privatePackageRoutes } from './package/routes.ts'
import { createReminders } from './reminders/reminders.ts'
import { reminderRoutes } from './reminders/routes.ts'
import { tradingViewAdminRoutes, tradingViewRoutes } from './tradingview/routes.ts'
import { tradingViewSchedules } from './tradingview/schedules.ts'
import {
  createAccess,
  createReconcile,
  createTradingView,
  createTradingViewAdmin,
} from './tradingview/tradingview.ts'

type Others = { gateway: TradingViewGateway; identity: Identity; selling: Pick<Selling, 'seats'> }

export type Access = ReturnType<typeof openAccess>

/** What buyers get for it. */
export function openAccess(
  context: Context,
  { gateway, identity: { accounts }, selling: { seats } }: Others,
) {
  const { config, settings } = context
  const tradingView = createTradingView({ ...context, gateway })
  const entitlements = createEntitlements({ ...context, deliver: tradingView.deliver })
  const accessRequests = createAccessRequests({
    ...context,
    accounts,
    entitlements,
    askExchangeKeys: config.askExchangeKeys,
    connector: { isOn: tradingView.isOn, isWorking: tradingView.isWorking, verify: tradingView.deliver },
  })
  const access = createAccess({ tradingView, entitlements, accessRequests })
  const privatePackage = createPrivatePackage({ links: () => settings.live.package, entitlements })
  const assets = createAssets({ ...context, entitlements })
  const reminders = createReminders({ ...context, accounts })
  const tradingViewAdmin = createTradingViewAdmin({ tradingView, entitlements, accessRequests })
  const people: PeoplesRoom[] = [accessRequests, entitlements]

  return {
    tradingView,
    entitlements,
    accessRequests,
    access,
    privatePackage,
    assets,
    /** What happens here when something happens to purchases. */
    effects: {
      purchasesChanged: entitlements.refresh,
      purchaseEnded: endAccess,
      purchaseReplaced: carryAccessOver,
      usernameGiven: accessRequests.claim,
    },
    people,
    schedules: [
      accessRequestSchedules(accessRequests),
      tradingViewSchedules(tradingView, createReconcile(tradingView, entitlements)),
    ],

    prepare: () => tradingView.connecting.useLookAlike(),

    mount({ mount }: Doors) {
      mount(contract.accessRequests, accessRequestRoutes(accessRequests))
      mount(contract.tradingView, tradingViewRoutes(access))
      mount(contract.tradingViewAdmin, tradingViewAdminRoutes(tradingViewAdmin, seats.meter.read))
      mount(contract.privatePackage, privatePackageRoutes(privatePackage))
      mount(contract.assets, assetRoutes(assets))
      mount(contract.reminders, reminderRoutes(reminders))
    },
  }
}
