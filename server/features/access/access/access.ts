import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { personOf } from '#server/database/people.ts'
import { createAsking } from './asking.ts'
import { createDecisions } from './decisions.ts'
import { owns, recompute } from './entitled.ts'
import { purgeKeys, revealKeys } from './forms.ts'
import { createLists } from './lists.ts'
import { createNames } from './names.ts'
import type { ConnectorInterface } from './rows.ts'
import { createConnectorChanges } from './seen.ts'

export { resealKeys, sealKeys } from './forms.ts'
export { type AccessRow, connectorPatience, isPaid, wishFor } from './rules.ts'
export { recordCheckedName, recordLocked, recordUnlocked } from './seen.ts'
export { refreshTodo } from './todo-refresh.ts'

export type AccessModule = ReturnType<typeof createAccessModule>

/** One row for each person and product says how far their access on TradingView is; it is moved only here. */
export function createAccessModule(
  context: Pick<Context, 'audit' | 'catalog' | 'db' | 'mails' | 'now' | 'secrets' | 'settings' | 'supportEmail'>,
  connector: ConnectorInterface,
) {
  const { db } = context
  const names = createNames(context, connector)
  const connectorChanged = createConnectorChanges(context, connector)
  return {
    names,
    asking: createAsking(context, connector, names),
    decisions: createDecisions(context, connector, names),
    lists: createLists(context, connector),
    connectorChanged,
    owns: (userId: string, productId: string) => owns(db, userId, productId),
    revealKeys: (actor: Actor, id: string) => revealKeys(context, actor, id),
    purgeKeys: () => purgeKeys(context),

    /** What is left of someone who leaves has to be locked. */
    forget: (tx: Transaction, userId: string) => connector.requestSync(tx, userId),

    async refresh(tx: Transaction, userId: string) {
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
