import { and, desc, eq, ne } from 'drizzle-orm'
import type { Database, Transaction } from '#server/database/connect.ts'
import { accessRequests } from '#server/database/schema.ts'
import type { Stretch } from '#server/database/stretch.ts'

export function createPersonalData({ db }: { db: Database }) {
  return {
    async forget(tx: Transaction, userId: string) {
      await tx
        .update(accessRequests)
        .set({ exchangeName: '', additionalInfo: null, reason: null, sealedKeys: null })
        .where(eq(accessRequests.userId, userId))
      // Granted access must still be revoked on TradingView, and the username is all we need for that.
      await tx
        .update(accessRequests)
        .set({ tradingViewUsername: '' })
        .where(and(eq(accessRequests.userId, userId), ne(accessRequests.status, 'granted')))
    },

    /** What was asked and decided, for a customer's timeline. One person has few requests. */
    async historyOf(userId: string, { before, limit }: Stretch) {
      const requests = await db
        .select()
        .from(accessRequests)
        .where(eq(accessRequests.userId, userId))
        .orderBy(desc(accessRequests.submittedAt))
        .limit(limit)
      return requests
        .flatMap((request) => [
          entry(request, 'asked', request.submittedAt, 'Asked for access'),
          ...(request.decidedAt && request.status !== 'requested'
            ? [entry(request, 'decided', request.decidedAt, `Access ${request.status}`)]
            : []),
          ...(request.endedAt ? [entry(request, 'ended', request.endedAt, 'Access to be revoked')] : []),
        ])
        .filter(({ at }) => at <= before)
    },

    async dataOf(userId: string) {
      const requests = await db
        .select({
          purchaseId: accessRequests.purchaseId,
          exchangeName: accessRequests.exchangeName,
          tradingViewUsername: accessRequests.tradingViewUsername,
          additionalInfo: accessRequests.additionalInfo,
          status: accessRequests.status,
          submittedAt: accessRequests.submittedAt,
          decidedAt: accessRequests.decidedAt,
        })
        .from(accessRequests)
        .where(eq(accessRequests.userId, userId))
        .orderBy(desc(accessRequests.submittedAt))
      return { accessRequests: requests }
    },
  }
}

const entry = (
  { id, tradingViewUsername, reason }: typeof accessRequests.$inferSelect,
  step: string,
  at: Date,
  what: string,
) => ({
  key: `${id}-${step}`,
  at,
  what,
  username: tradingViewUsername,
  reason: step === 'decided' ? reason : null,
})
