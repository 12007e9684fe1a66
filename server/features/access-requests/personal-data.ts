import { and, desc, eq, ne } from 'drizzle-orm'
import type { Database, Transaction } from '../../database/connect.ts'
import { accessRequests } from '../../database/schema.ts'

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
