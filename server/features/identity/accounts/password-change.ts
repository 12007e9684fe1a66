import { and, eq } from 'drizzle-orm'
import type { Actor } from '#server/actor.ts'
import { passwordTokens, users } from '#server/database/schema.ts'
import { conflict } from '#server/errors.ts'
import type { Mails } from '#server/mails/mails.ts'
import { createOwnPassword } from '#server/security/own-password.ts'
import { endSessions } from '../sessions/sessions.ts'
import { dropPendingChange } from './changed-addresses.ts'

type Dependencies = Parameters<typeof createOwnPassword>[0] & { mails: Mails }
type Change = { currentPassword: string; newPassword: string }

/** A new password, for someone who is logged in and knows the current one. */
export function createPasswordChange(deps: Dependencies) {
  const { db, mails, passwords, attempts } = deps
  const checkPassword = createOwnPassword(deps)

  return {
    async changePassword(actor: Actor, { currentPassword, newPassword }: Change) {
      const { user, sessionId } = actor
      passwords.refuseCommon(newPassword, 'newPassword')
      const before = await checkPassword(actor, currentPassword, 'currentPassword')
      const passwordHash = await passwords.hash(newPassword)
      await db.transaction(async (tx) => {
        const changed = await tx
          .update(users)
          .set({ passwordHash })
          .where(and(eq(users.id, user.id), eq(users.passwordHash, before)))
          .returning({ id: users.id })
        if (changed.length === 0)
          throw conflict('changed-meanwhile', 'Your password was changed just now. Please log in again.')
        await tx.delete(passwordTokens).where(eq(passwordTokens.userId, user.id))
        await dropPendingChange(tx, user.id)
        await endSessions(tx, user.id, { except: sessionId })
        await attempts.clearAll(tx, user.email)
        await mails.send(tx, user.email, 'passwordChanged', {})
      })
    },
  }
}
