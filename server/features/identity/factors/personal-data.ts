import { eq } from 'drizzle-orm'
import type { Database, Transaction } from '#server/database/connect.ts'
import { appCodes, passkeys } from '#server/database/schema.ts'
import { removeFactors } from './lost-device.ts'
import { recovery } from './recovery-codes.ts'

export function createPersonalData({ db }: { db: Database }) {
  return {
    forget: (tx: Transaction, userId: string) => removeFactors(tx, userId),

    /** Without anything that could be used to log in. */
    async dataOf(userId: string) {
      const keys = await db
        .select({
          name: passkeys.name,
          host: passkeys.host,
          isSynced: passkeys.isSynced,
          createdAt: passkeys.createdAt,
          lastUsedAt: passkeys.lastUsedAt,
        })
        .from(passkeys)
        .where(eq(passkeys.userId, userId))
      const [app] = await db
        .select({ since: appCodes.createdAt })
        .from(appCodes)
        .where(eq(appCodes.userId, userId))
      return {
        secondFactors: {
          passkeys: keys,
          appCodesSince: app?.since ?? null,
          recoveryCodesLeft: await recovery.left(db, userId),
        },
      }
    },
  }
}
