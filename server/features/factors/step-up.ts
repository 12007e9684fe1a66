import { eq } from 'drizzle-orm'
import type { WayToProve } from '#contract/statuses.ts'
import type { Actor } from '../../actor.ts'
import type { Database } from '../../database/connect.ts'
import { users } from '../../database/schema.ts'
import { Refusal } from '../../errors.ts'
import type { Attempts } from '../../security/attempts.ts'
import type { Passwords } from '../../security/passwords.ts'
import type { SecurityLog } from '../../security/security-log.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Codes } from './codes.ts'
import type { PasskeyLogin } from './passkey-login.ts'
import type { Policy } from './policy.ts'

type Dependencies = {
  db: Database
  passwords: Passwords
  attempts: Attempts
  securityLog: SecurityLog
  sessions: Pick<Sessions, 'prove'>
  policy: Policy
  codes: Codes
  passkeyLogin: PasskeyLogin
}

/** Showing once more who one is, in a session that has been open for a while. */
export function createStepUp(deps: Dependencies) {
  const { db, passwords, attempts, securityLog, sessions, policy, codes, passkeyLogin } = deps

  async function assertCounts({ user }: Actor, way: WayToProve) {
    const { ways } = await policy.waysToProve(user)
    if (!ways.includes(way)) throw new Refusal(403, 'Please confirm in another way.', { again: ways })
  }

  return {
    async withPassword(actor: Actor, password: string) {
      await assertCounts(actor, 'password')
      await attempts.count('step-up', actor.user.id, { requests: 10, seconds: 900 })
      const [user] = await db
        .select({ passwordHash: users.passwordHash })
        .from(users)
        .where(eq(users.id, actor.user.id))
      if (!(await passwords.matches(password, user?.passwordHash))) {
        securityLog('step-up failed', actor)
        throw new Refusal(403, 'Wrong password', { fields: { password: 'Wrong password' } })
      }
      await attempts.clear('step-up', actor.user.id)
      await sessions.prove(db, actor)
    },

    async withCode(actor: Actor, code: string) {
      await assertCounts(actor, 'code')
      await codes.useFromApp(actor, { userId: actor.user.id, code })
      await sessions.prove(db, actor, 'password and code')
    },

    async withPasskey(actor: Actor, response: Record<string, unknown>) {
      const { userId } = await passkeyLogin.verify(response)
      if (userId !== actor.user.id) throw new Refusal(403, 'This passkey belongs to another account.')
      await sessions.prove(db, actor, 'passkey')
    },
  }
}
