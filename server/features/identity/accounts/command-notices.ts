import { and, eq, gt, inArray, isNull, ne } from 'drizzle-orm'
import type { Database } from '#server/database/connect.ts'
import { auditLog, users } from '#server/database/schema.ts'
import type { Mails } from '#server/mails/mails.ts'

const day = 86_400_000

/** Commands on the server only write to the audit log: the shop emails those concerned, each once. */
export function createCommandNotices({ db, now, mails }: { db: Database; now: () => Date; mails: Mails }) {
  return {
    async tellOfCommands() {
      const commands = await db
        .select({ id: auditLog.id, action: auditLog.action, userId: users.id, email: users.email })
        .from(auditLog)
        .innerJoin(users, eq(users.id, auditLog.aboutId))
        .where(
          and(
            inArray(auditLog.action, ['admin.add', 'admin.reset-two-factor']),
            gt(auditLog.at, new Date(now().getTime() - day)),
            isNull(users.deletedAt),
          ),
        )
      for (const { id, action, userId, email } of commands) {
        if (action === 'admin.reset-two-factor') {
          await mails.sendOnce(`audit ${id}`, email, 'factorRemoved', { what: 'second step' })
          continue
        }
        const others = await db
          .select({ id: users.id, email: users.email })
          .from(users)
          .where(and(eq(users.isAdmin, true), isNull(users.deletedAt), ne(users.id, userId)))
        for (const other of others)
          await mails.sendOnce(`audit ${id} to ${other.id}`, other.email, 'newAdmin', { email })
      }
    },
  }
}
