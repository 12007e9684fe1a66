import { and, eq, isNull } from 'drizzle-orm'
import type { User } from '../../actor.ts'
import type { Database } from '../../database/connect.ts'
import { users } from '../../database/schema.ts'
import { conflict, Refusal } from '../../errors.ts'
import type { Attempts } from '../../security/attempts.ts'
import type { Passwords } from '../../security/passwords.ts'
import type { Mails } from '../mails/mails.ts'
import type { Authenticated } from '../sessions/sessions.ts'

type Dependencies = {
  db: Database
  now: () => Date
  mails: Mails
  passwords: Passwords
  attempts: Attempts
}

type LoggedIn = { user: User; authenticated: Authenticated }

const shown = {
  id: users.id,
  name: users.name,
  email: users.email,
  isAdmin: users.isAdmin,
  createdAt: users.createdAt,
}

const wrongPassword = () => new Refusal(401, 'Invalid email or password')

/** Signing up and logging in, up to where the session begins. */
export function createLogin({ db, now, mails, passwords, attempts }: Dependencies) {
  return {
    async register({ email, password, name }: { email: string; password: string; name: string }) {
      passwords.refuseCommon(password, 'password')
      const passwordHash = await passwords.hash(password)
      return db.transaction(async (tx): Promise<LoggedIn> => {
        const [user] = await tx
          .insert(users)
          .values({ email, name, passwordHash, createdAt: now() })
          .onConflictDoNothing({ target: users.email })
          .returning(shown)
        if (!user)
          throw conflict(
            'Could not create account. If you already have one, log in or use "Forgot password?".',
          )
        await mails.send(tx, email, 'welcome', { name })
        return { user, authenticated: { userId: user.id, passwordHash, refusal: wrongPassword } }
      })
    },

    /** Known or unknown, right or wrong: the same work, and the same answer to everybody but the owner. */
    async login({ email, password }: { email: string; password: string }): Promise<LoggedIn> {
      await attempts.count('login', email, { max: 10, minutes: 15 })
      const [found] = await db
        .select({ passwordHash: users.passwordHash, user: shown })
        .from(users)
        .where(and(eq(users.email, email), isNull(users.deletedAt)))
      if (!(await passwords.matches(password, found?.passwordHash)) || !found) throw wrongPassword()
      await attempts.clear('login', email)
      const { user, passwordHash } = found
      return { user, authenticated: { userId: user.id, passwordHash, refusal: wrongPassword } }
    },
  }
}
