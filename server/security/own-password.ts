import { eq } from 'drizzle-orm'
import type { Actor } from '../actor.ts'
import type { Database } from '../database/connect.ts'
import { users } from '../database/schema.ts'
import { Refusal } from '../errors.ts'
import type { Attempts } from './attempts.ts'
import type { PasswordHasher } from './password-hasher.ts'
import type { SecurityLog } from './security-log.ts'

type Dependencies = { db: Database; passwordHasher: PasswordHasher; attempts: Attempts; securityLog: SecurityLog }

export function createPasswordCheck({ db, passwordHasher, attempts, securityLog }: Dependencies) {
  /** Returns the stored hash. `field` is the form field that shows a refusal. */
  return async (actor: Actor, password: string, field: string): Promise<string> => {
    const { id } = actor.user
    await attempts.countOrRefuse('own password', id, { requests: 10, seconds: 900 })
    const [user] = await db.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, id))
    if (!user?.passwordHash)
      throw new Refusal(
        403,
        'no-password',
        'You don’t have a password yet. Choose one with “Email me a link” in your profile.',
      )
    if (!(await passwordHasher.matches(password, user.passwordHash))) {
      securityLog('wrong password', actor)
      throw new Refusal(403, 'wrong-password', 'Wrong password', { fields: { [field]: 'Wrong password' } })
    }
    await attempts.clear('own password', id)
    return user.passwordHash
  }
}
