import { and, eq, isNull, notExists, sql } from 'drizzle-orm'
import { type ChecklistKey, type checklist as calls, checklistKeys, checklistLines } from '#contract/admin/checklist.ts'
import type { RawOutputOf } from '#contract/endpoint.ts'
import type { Actor } from '#server/actor.ts'
import type { Config } from '#server/config.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/connect.ts'
import { appCodes, passkeys, tvConnection, users } from '#server/database/schema.ts'
import { invalid } from '#server/errors.ts'
import { standInHost } from '#server/gateways/tradingview.ts'
import type { ShopSettings } from '#server/settings/settings.ts'

type ChecklistDeps = Pick<Context, 'db' | 'config' | 'settings' | 'paymentAccount'>

export type Checklist = {
  show(): Promise<RawOutputOf<typeof calls.adminShow>>
  confirm(actor: Actor, key: ChecklistKey): Promise<void>
}

type ShopState = { db: Database; config: Config; settings: ShopSettings }

/** Reads settings and records only; `npm run go-live` also tests connections. */
export async function findDoneLines({ db, config, settings }: ShopState): Promise<Record<ChecklistKey, boolean>> {
  const { current } = settings
  const [tradingView] = await db.select().from(tvConnection)
  const { name, street, city, country } = current.seller
  const { isConfirmed } = settings
  return {
    imprint: [name, street, city, country].every(Boolean),
    support_address: !current.supportEmail.endsWith('@example.com'),
    law: current.hasChosenLaw,
    exchange_keys: current.hasChosenKeys,
    scripts: current.hasOwnScripts,
    texts: isConfirmed('texts'),
    products: isConfirmed('products'),
    prices: isConfirmed('prices'),
    tradingview: isConfirmed('tradingview') || (tradingView?.state === 'on' && tradingView.host !== standInHost),
    second_factor: await everyAdminHasFactor(db, config),
    address: config.production && config.secure,
    email: config.mail.smtpUrl !== undefined,
    // Done once live payments are taken; from then on, the shop has no checklist.
    payments: false,
    webhook: false,
  }
}

/** Counts only passkeys of this host, because a passkey works nowhere else. */
async function everyAdminHasFactor(db: Database, { publicUrl, staffNeedFactor }: Config) {
  const host = new URL(publicUrl).hostname
  const anyColumn = { one: sql`1` }
  const hasNoPasskey = notExists(
    db
      .select(anyColumn)
      .from(passkeys)
      .where(and(eq(passkeys.userId, users.id), eq(passkeys.host, host))),
  )
  const hasNoApp = notExists(db.select(anyColumn).from(appCodes).where(eq(appCodes.userId, users.id)))
  const isAdminWithoutFactor = and(eq(users.isAdmin, true), isNull(users.deletedAt), hasNoPasskey, hasNoApp)
  return staffNeedFactor && (await db.$count(users, isAdminWithoutFactor)) === 0
}

export function createChecklist({ db, config, settings, paymentAccount }: ChecklistDeps): Checklist {
  return {
    async show() {
      if (paymentAccount.kind === 'live') return null
      const done = await findDoneLines({ db, config, settings })
      return checklistKeys.map((key) => ({ key, isDone: done[key] }))
    },

    async confirm(actor, key) {
      if (!('confirms' in checklistLines[key])) throw invalid('key', 'This line is done once it is set')
      await settings.confirm(actor, key)
    },
  }
}
