import { and, eq } from 'drizzle-orm'
import type { Actor } from '../../actor.ts'
import type { Database } from '../../database/connect.ts'
import { passwordTokens, users } from '../../database/schema.ts'
import { conflict, Refusal } from '../../errors.ts'
import type { Attempts } from '../../security/attempts.ts'
import type { Passwords } from '../../security/passwords.ts'
import type { Mails } from '../mails/mails.ts'
import { endSessions } from '../sessions/sessions.ts'
import { dropPendingChange } from './email-change.ts'

type Dependencies = { db: Database; mails: Mails; passwords: Passwords; attempts: Attempts }
type Change = { currentPassword: string; newPassword: string }

/** A new password, for someone who is logged in and knows the current one. */
export function createPasswordChange({ db, mails, passwords, attempts }: Dependencies) {
  return {
    async changePassword({ user, sessionId }: Actor, { currentPassword, newPassword }: Change) {
      passwords.refuseCommon(newPassword, 'newPassword')
      await attempts.count('step-up', user.id, { requests: 10, seconds: 900 })
      const [found] = await db
        .select({ passwordHash: users.passwordHash })
        .from(users)
        .where(eq(users.id, user.id))
      const before = found?.passwordHash
      if (!before) throw conflict('You have no password yet. Use “Email me a link” in your profile.')
      if (!(await passwords.matches(currentPassword, before)))
        throw new Refusal(403, 'Wrong password', { fields: { currentPassword: 'Wrong password' } })
      await attempts.clear('step-up', user.id)
      const passwordHash = await passwords.hash(newPassword)
      await db.transaction(async (tx) => {
        const changed = await tx
          .update(users)
          .set({ passwordHash })
          .where(and(eq(users.id, user.id), eq(users.passwordHash, before)))
          .returning({ id: users.id })
        if (changed.length === 0) throw conflict('Your password was changed just now. Please log in again.')
        await tx.delete(passwordTokens).where(eq(passwordTokens.userId, user.id))
        await dropPendingChange(tx, user.id)
        await endSessions(tx, user.id, { except: sessionId })
        await attempts.clearAll(tx, user.email)
        await mails.send(tx, user.email, 'passwordChanged', {})
      })
    },
  }
}
