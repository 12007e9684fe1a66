import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { personOf } from '#server/database/people.ts'
import { type Asking, createAsking } from './asking.ts'
import { createDecisions, type Decisions } from './decisions.ts'
import { owns, recompute } from './entitled.ts'
import { type Keys, purgeKeys, revealKeys } from './forms.ts'
import { type AccessLists, createLists } from './lists.ts'
import { createNames, type Names } from './names.ts'
import type { ConnectorInterface } from './rows.ts'
import { createConnectorChanges } from './seen.ts'

export { resealKeys, sealKeys } from './forms.ts'
export { type AccessRow, connectorPatience, isPaid, wishFor } from './rules.ts'
export { recordCheckedName, recordLocked, recordUnlocked } from './seen.ts'
export { refreshTodo } from './todo-refresh.ts'

type AccessContext = Pick<
  Context,
  'audit' | 'catalog' | 'db' | 'mails' | 'now' | 'secrets' | 'settings' | 'supportEmail'
>

/** One row for each person and product says how far their access on TradingView is; it is moved only here. */
export type AccessModule = {
  names: Names
  asking: Asking
  decisions: Decisions
  lists: AccessLists
  connectorChanged(tx: Transaction): Promise<void>
  owns(userId: string, productId: string): Promise<boolean>
  revealKeys(actor: Actor, id: string): Promise<Keys>
  purgeKeys(): Promise<void>
  /** Locks the remaining access of someone whose account is deleted. */
  forget(tx: Transaction, userId: string): Promise<void>
  refresh(tx: Transaction, userId: string): Promise<void>
}

export function createAccessModule(context: AccessContext, connector: ConnectorInterface): AccessModule {
  const { db } = context
  const names = createNames(context, connector)
  const connectorChanged = createConnectorChanges(context, connector)
  return {
    names,
    asking: createAsking(context, connector, names),
    decisions: createDecisions(context, connector, names),
    lists: createLists(context, connector),
    connectorChanged,
    owns: (userId, productId) => owns(db, userId, productId),
    revealKeys: (actor, id) => revealKeys(context, actor, id),
    purgeKeys: () => purgeKeys(context),

    forget: (tx, userId) => connector.requestSync(tx, userId),

    async refresh(tx, userId) {
      const served = await connector.servedProducts(tx)
      const rows = await recompute(tx, context, userId, served)
      await connector.requestSync(tx, userId)
      const unnamed = rows.filter(
        ({ productId, reason, state, nameKey }) => served.has(productId) && reason && state === 'none' && !nameKey,
      )
      if (unnamed.length === 0) return
      // The name in the profile of someone who buys for the first time; a stranger may have typed an unproven one.
      const { tradingViewUsername: username, verifiedAt } = await personOf(tx, userId)
      if (!username || !verifiedAt) return
      for (const { productId } of unnamed) await names.give(tx, { userId, username, productId, by: null })
    },
  }
}
