import { eq } from 'drizzle-orm'
import type { Actor, User } from '#server/actor.ts'
import type { Database } from '#server/database/connect.ts'
import { users } from '#server/database/schema.ts'
import type { Mails } from '#server/mails/mails.ts'
import type { Attempts } from '#server/security/attempts.ts'
import type { PasswordLinks } from './password-links.ts'
import { prove } from './proof.ts'

type Dependencies = {
  db: Database
  now: () => Date
  mails: Mails
  attempts: Attempts
  passwordLinks: PasswordLinks
}

/** The link by which someone who signed up shows that the address is theirs. */
export function createConfirmation({ db, now, mails, attempts, passwordLinks }: Dependencies) {
  return {
    async sendConfirmation({ user }: Actor) {
      if (user.isProven) return
      await attempts.count('confirmation', user.email, { requests: 5, seconds: 86_400 })
      await db.transaction(async (tx) => {
        const tokenId = await passwordLinks.create(tx, user.id, 'firstPassword')
        await mails.send(tx, user.email, 'confirmAddress', { tokenId })
      })
    },

    /**
     * Anywhere but in a browser that is logged in to the account, the same link asks for a new password: the one from
     * before may be a stranger's.
     */
    async confirmAddress(actor: Actor<User | null>, token: string): Promise<{ choosePassword: boolean }> {
      return db.transaction(async (tx) => {
        const { userId, use } = await passwordLinks.find(tx, token)
        const [user] = await tx
          .select({ verifiedAt: users.verifiedAt })
          .from(users)
          .where(eq(users.id, userId))
          .for('update')
        if (user?.verifiedAt) return { choosePassword: false }
        if (actor.user?.id !== userId) return { choosePassword: true }
        await use()
        await prove(tx, userId, { at: now(), inOwnSession: true })
        return { choosePassword: false }
      })
    },
  }
}
