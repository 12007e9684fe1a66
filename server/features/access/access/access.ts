import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { personOf } from '#server/database/people.ts'
import { type BuyerAccess, createBuyerAccess } from './buyer-access.ts'
import { createDecisions, type Decisions } from './decisions.ts'
import { owns, recomputeAccess } from './entitled.ts'
import { type Keys, purgeKeys, revealKeys } from './forms.ts'
import { type AccessLists, createLists } from './lists.ts'
import { createNames, type Names } from './names.ts'
import { createConnectorChanges } from './record-observed.ts'
import type { AccessRow, ConnectorInterface } from './rows.ts'

export { resealKeys, sealKeys } from './forms.ts'
export { recordCheckedName, recordLocked, recordUnlocked } from './record-observed.ts'
export { type AccessRow, connectorPatienceMs, isPaid, targetStateFor } from './rules.ts'
export { refreshTodo } from './todo-refresh.ts'

type AccessContext = Pick<
  Context,
  'audit' | 'catalog' | 'db' | 'mails' | 'now' | 'secrets' | 'settings' | 'supportEmail'
>

/** State of each person's access to each product on TradingView: one row of `access`, written only here. */
export type AccessModule = {
  names: Names
  buyerAccess: BuyerAccess
  decisions: Decisions
  lists: AccessLists
  /** Hands waiting people to the connector if it works, otherwise to the seller. */
  connectorChanged(tx: Transaction): Promise<void>
  owns(userId: string, productId: string): Promise<boolean>
  revealKeys(actor: Actor, id: string): Promise<Keys>
  purgeKeys(): Promise<void>
  /** Locks the remaining access of someone whose account is deleted. */
  forget(tx: Transaction, userId: string): Promise<void>
  /** Recomputes a person's access from their purchases and queues the sync. Locks the person. */
  refresh(tx: Transaction, userId: string): Promise<void>
}

export function createAccessModule(context: AccessContext, connector: ConnectorInterface): AccessModule {
  const { db } = context
  const names = createNames(context, connector)
  const connectorChanged = createConnectorChanges(context, connector)

  /** Uses the username of the profile for these rows, unless the account is unproven: a stranger may have entered it. */
  async function applyProfileUsername(tx: Transaction, userId: string, rows: AccessRow[]) {
    const { tradingViewUsername: username, verifiedAt } = await personOf(tx, userId)
    if (!username || !verifiedAt) return
    for (const { productId } of rows) await names.setUsername(tx, { userId, username, productId, byAdmin: null })
  }

  return {
    names,
    buyerAccess: createBuyerAccess(context, connector, names),
    decisions: createDecisions(context, connector, names),
    lists: createLists(context, connector),
    connectorChanged,
    owns: (userId, productId) => owns(db, userId, productId),
    revealKeys: (actor, id) => revealKeys(context, actor, id),
    purgeKeys: () => purgeKeys(context),

    forget: (tx, userId) => connector.requestSync(tx, userId),

    async refresh(tx, userId) {
      const served = await connector.servedProducts(tx)
      const rows = await recomputeAccess(tx, context, userId, served)
      await connector.requestSync(tx, userId)
      const rowsWithoutName = rows.filter(({ productId, reason, state, nameKey }) => {
        const isEntitled = reason !== null
        return served.has(productId) && isEntitled && state === 'none' && !nameKey
      })
      if (rowsWithoutName.length > 0) await applyProfileUsername(tx, userId, rowsWithoutName)
    },
  }
}
