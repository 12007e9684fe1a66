import { and, desc, eq, isNotNull, isNull, lte, sql } from 'drizzle-orm'
import type { AccessEvent } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import type { HistoryPart } from '#server/database/cursor.ts'
import { access, accessEvents, accessForms } from '#server/database/schema.ts'
import type { ConnectorDoor } from './rows.ts'

/** What happened, for the customer's page and for the person's history. */
export const eventTexts: Record<AccessEvent, string> = {
  paid: 'Paid for access',
  ended: 'Subscription ended',
  named: 'Gave a TradingView username',
  renamed: 'Gave another TradingView username',
  asked: 'Asked for access',
  connector_on: 'Taken over by the connector',
  connector_off: 'Handed to the seller',
  granted: 'Unlocked by hand',
  undone: 'Unlock undone',
  declined: 'Declined',
  withheld: 'Removed by the seller',
  restored: 'Restored',
  opened: 'Access unlocked',
  closed: 'Access locked',
}

/** What this room stores about one person. */
export function createPersonalData({ db }: Context, connector: ConnectorDoor) {
  return {
    /** Of somebody who leaves, only what has to be locked is kept until it is. */
    async forget(tx: Transaction, userId: string) {
      await tx
        .update(accessForms)
        .set({ exchangeName: '', tradingViewUsername: '', additionalInfo: null, sealedKeys: null })
        .where(eq(accessForms.userId, userId))
      await tx
        .update(accessEvents)
        .set({ username: null, reason: null })
        .where(eq(accessEvents.userId, userId))
      await tx.delete(access).where(and(eq(access.userId, userId), isNull(access.unlockedName)))
      await tx
        .update(access)
        .set({
          state: 'unlocked',
          reason: null,
          until: null,
          nameKey: null,
          nameProblem: null,
          similar: [],
          declinedBecause: null,
          needsDecision: false,
          undoUntil: null,
          undoTo: null,
          // Whatever the connector is doing right now counts no longer.
          version: sql`${access.version} + 1`,
        })
        .where(and(eq(access.userId, userId), isNotNull(access.unlockedName)))
      await connector.requestSync(tx, userId)
    },

    /** For a customer's timeline. */
    async historyOf(userId: string, { before, limit }: HistoryPart) {
      const rows = await db
        .select()
        .from(accessEvents)
        .where(and(eq(accessEvents.userId, userId), lte(accessEvents.at, before)))
        .orderBy(desc(accessEvents.at), desc(accessEvents.id))
        .limit(limit)
      return rows.map(({ id, at, event, username, reason }) => ({
        key: String(id),
        at,
        what: eventTexts[event],
        username,
        reason,
      }))
    },

    async dataOf(userId: string) {
      const states = await db
        .select({
          productId: access.productId,
          state: access.state,
          since: access.stateSince,
          until: access.until,
          reason: access.reason,
          unlockedFor: access.unlockedName,
          declinedBecause: access.declinedBecause,
        })
        .from(access)
        .where(eq(access.userId, userId))
      const history = await db
        .select({
          at: accessEvents.at,
          event: accessEvents.event,
          username: accessEvents.username,
          reason: accessEvents.reason,
          email: accessEvents.mail,
        })
        .from(accessEvents)
        .where(eq(accessEvents.userId, userId))
        .orderBy(accessEvents.id)
      const forms = await db
        .select({
          purchaseId: accessForms.purchaseId,
          exchangeName: accessForms.exchangeName,
          tradingViewUsername: accessForms.tradingViewUsername,
          additionalInfo: accessForms.additionalInfo,
          submittedAt: accessForms.submittedAt,
        })
        .from(accessForms)
        .where(eq(accessForms.userId, userId))
        .orderBy(desc(accessForms.submittedAt))
      return { access: states, accessHistory: history, accessRequests: forms }
    },
  }
}
