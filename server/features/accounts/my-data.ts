import { desc, eq } from 'drizzle-orm'
import type { Database } from '../../database/connect.ts'
import { accessRequests, purchases, sessions, users } from '../../database/schema.ts'

/**
 * Everything the shop keeps with an account, but no secret: neither hashes nor exchange keys. What only carries the
 * same e-mail address (a contact message, the newsletter) stays out: a typed address is not proof of who one is.
 */
export async function collectMyData(db: Database, id: string) {
  const [account] = await db
    .select({
      id: users.id,
      email: users.email,
      name: users.name,
      isAdmin: users.isAdmin,
      tradingViewUsername: users.tradingViewUsername,
      createdAt: users.createdAt,
      verifiedAt: users.verifiedAt,
    })
    .from(users)
    .where(eq(users.id, id))
  return {
    account,
    devices: await db
      .select({
        userAgent: sessions.userAgent,
        ip: sessions.ip,
        createdAt: sessions.createdAt,
        lastUsedAt: sessions.lastUsedAt,
      })
      .from(sessions)
      .where(eq(sessions.userId, id))
      .orderBy(desc(sessions.lastUsedAt)),
    purchases: await db
      .select({
        id: purchases.id,
        productId: purchases.productId,
        billingType: purchases.billingType,
        amountInCents: purchases.amount,
        refundedInCents: purchases.refundedAmount,
        status: purchases.status,
        createdAt: purchases.createdAt,
        currentPeriodEnd: purchases.currentPeriodEnd,
        endedAt: purchases.endedAt,
      })
      .from(purchases)
      .where(eq(purchases.userId, id))
      .orderBy(desc(purchases.createdAt)),
    accessRequests: await db
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
      .where(eq(accessRequests.userId, id))
      .orderBy(desc(accessRequests.submittedAt)),
  }
}
