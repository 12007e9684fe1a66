import { desc, eq } from 'drizzle-orm'
import type { Database, Transaction } from '#server/database/connect.ts'
import { knownDevices, logins, sessions } from '#server/database/schema.ts'

export function createPersonalData({ db }: { db: Database }) {
  return {
    async forget(tx: Transaction, userId: string) {
      await tx.delete(sessions).where(eq(sessions.userId, userId))
      await tx.delete(logins).where(eq(logins.userId, userId))
      await tx.delete(knownDevices).where(eq(knownDevices.userId, userId))
    },

    async dataOf(userId: string) {
      const devices = await db
        .select({
          userAgent: sessions.userAgent,
          ip: sessions.ip,
          createdAt: sessions.createdAt,
          lastUsedAt: sessions.lastUsedAt,
        })
        .from(sessions)
        .where(eq(sessions.userId, userId))
        .orderBy(desc(sessions.lastUsedAt))
      const recentLogins = await db
        .select({ at: logins.at, userAgent: logins.userAgent, ip: logins.ip })
        .from(logins)
        .where(eq(logins.userId, userId))
        .orderBy(desc(logins.at))
      const knownBrowsers = await db
        .select({ firstSeenAt: knownDevices.firstSeenAt })
        .from(knownDevices)
        .where(eq(knownDevices.userId, userId))
        .orderBy(knownDevices.firstSeenAt)
      return { devices, logins: recentLogins, knownBrowsers }
    },
  }
}
