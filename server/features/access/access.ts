import type { Context } from '#server/context.ts'
import type { TradingViewGateway } from '#server/gateways/tradingview.ts'
import type { Doors } from '#server/http/mount.ts'
import type { Schedules } from '#server/jobs/queue.ts'
import type { Identity } from '../identity/identity.ts'
import type { Selling } from '../selling/selling.ts'
import { type AccessRoom, createAccessRoom } from './access/access.ts'
import { createAssets } from './assets/assets.ts'
import { createPrivatePackage } from './package/package.ts'
import { createReminders } from './reminders/reminders.ts'
import { mountAccess } from './routes.ts'
import { createConnector, createTradingView } from './tradingview/tradingview.ts'

type Others = { gateway: TradingViewGateway; identity: Identity; selling: Pick<Selling, 'seats'> }

export type Access = ReturnType<typeof openAccess>

/** What buyers get for it. */
export function openAccess(context: Context, { gateway, identity, selling }: Others) {
  const { accounts } = identity
  const connector = createConnector(context, gateway, {
    connectorChanged: (tx) => room.connectorChanged(tx),
  })
  const room: AccessRoom = createAccessRoom(context, connector)
  const tradingView = createTradingView(context, { gateway, connector, access: room })
  const privatePackage = createPrivatePackage(context, room)
  const assets = createAssets(context, room)
  const reminders = createReminders(context, { accounts, connector })
  const rooms = { room, tradingView, privatePackage, assets, reminders }
  const schedules: Schedules = {
    'announce-access': { cron: '* * * * *', run: room.decisions.announce },
    'purge-exchange-keys': { cron: '17 * * * *', run: room.purgeKeys },
    'tradingview-due': { cron: '* * * * *', run: tradingView.catchUp },
    // Long lists are read at one call a second, and two that read at the same time would disturb each other: a day less an hour.
    'tradingview-reconcile': { cron: '20 3 * * *', run: tradingView.reconcile, leaseSeconds: 23 * 3600 },
    'tradingview-reminder': { cron: '0 8 * * *', run: tradingView.remind },
    'tradingview-history': { cron: '40 3 * * *', run: tradingView.forgetHistory },
  }

  return {
    tradingView,
    room,
    privatePackage,
    assets,
    /** What happens here when something happens to purchases, or somebody gives a name. */
    effects: {
      purchasesChanged: room.refresh,
      usernameGiven: room.names.give,
      unlocksItself: connector.isWorking,
    },
    schedules: [schedules],

    prepare: () => tradingView.connectLookAlike(),

    mount: (doors: Doors) => mountAccess(doors, rooms, selling),
  }
}
