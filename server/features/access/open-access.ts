import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import type { Schedules } from '#server/jobs/queue.ts'
import type { Identity } from '../identity/identity.ts'
import { type AccessModule, createAccessModule } from './access/access.ts'
import { type Assets, createAssets } from './assets/assets.ts'
import { createPrivatePackage, type PrivatePackage } from './package/package.ts'
import { createReminders, type Reminders } from './reminders/reminders.ts'
import { createConnector, createTradingView, type TradingView } from './tradingview/tradingview.ts'

type AccessContext = Pick<
  Context,
  | 'audit'
  | 'catalog'
  | 'crashPoint'
  | 'db'
  | 'mails'
  | 'now'
  | 'queue'
  | 'secrets'
  | 'settings'
  | 'supportEmail'
  | 'tradingView'
>

export type Access = {
  tradingView: TradingView
  core: AccessModule
  privatePackage: PrivatePackage
  assets: Assets
  reminders: Reminders
  isUnlockedByConnector(tx: Transaction, productId: string): Promise<boolean>
  schedules: Schedules
  prepare(): Promise<void>
}

export function openAccess(context: AccessContext, { accounts }: Pick<Identity, 'accounts'>): Access {
  const connector = createConnector(context, (tx) => core.connectorChanged(tx))
  const core: AccessModule = createAccessModule(context, connector)
  const tradingView = createTradingView(context, { connector, access: core })
  const privatePackage = createPrivatePackage(context, core)
  const assets = createAssets(context, core)
  const reminders = createReminders(context, { accounts, connector })
  const schedules: Schedules = {
    'announce-access': { cron: '* * * * *', run: core.decisions.announce },
    'purge-exchange-keys': { cron: '17 * * * *', run: core.purgeKeys },
    'tradingview-due': { cron: '* * * * *', run: tradingView.catchUp },
    // A long list takes hours to read, at one call per second. The lease keeps a second run from starting meanwhile.
    'tradingview-reconcile': { cron: '20 3 * * *', run: tradingView.reconcile, leaseSeconds: 23 * 3600 },
    'tradingview-reminder': { cron: '0 8 * * *', run: tradingView.remind },
    'warn-about-people': { cron: '10 7 * * *', run: tradingView.meter.warn },
    'tradingview-history': { cron: '40 3 * * *', run: tradingView.forgetHistory },
  }

  const isUnlockedByConnector = async (tx: Transaction, productId: string) =>
    (await connector.servedProducts(tx)).has(productId)

  return {
    tradingView,
    core,
    privatePackage,
    assets,
    reminders,
    isUnlockedByConnector,
    schedules,

    prepare: () => tradingView.connectSandbox(),
  }
}
