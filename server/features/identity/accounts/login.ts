import { and, eq, isNull } from 'drizzle-orm'
import type { Actor, User } from '#server/actor.ts'
import type { Database } from '#server/database/connect.ts'
import { users } from '#server/database/schema.ts'
import { userColumns } from '#server/database/user-columns.ts'
import { conflict, Refusal } from '#server/errors.ts'
import type { Mails } from '#server/mails/mails.ts'
import type { Attempts } from '#server/security/attempts.ts'
import type { EmailQuestions } from '#server/security/email-questions.ts'
import type { Passwords } from '#server/security/passwords.ts'
import type { SecurityLog } from '#server/security/security-log.ts'
import type { RefuseShopAddress } from '#server/security/shop-addresses.ts'
import { type Authenticated, knownDevice } from '../sessions/sessions.ts'
import { isReserved } from './changed-addresses.ts'
import type { PasswordLinks } from './password-links.ts'

type Dependencies = {
  db: Database
  now: () => Date
  mails: Mails
  passwords: Passwords
  attempts: Attempts
  questions: Pick<EmailQuestions, 'ask'>
  securityLog: SecurityLog
  refuseShopAddress: RefuseShopAddress
  passwordLinks: PasswordLinks
}

type Credentials = { email: string; password: string }
type NewAccount = Credentials & { name: string }
type LoggedIn = { user: User; authenticated: Authenticated }

const wrongPassword = () => new Refusal(401, 'wrong-credentials', 'Invalid email or password')
const taken = () =>
  conflict(
    'account-not-created',
    'Could not create account. If you already have one, log in or use “Forgot password?”.',
  )

/** Signing up and logging in, up to the point where the session starts. */
export function createLogin(deps: Dependencies) {
  const { db, now, mails, passwords, attempts, questions, securityLog } = deps
  const { refuseShopAddress, passwordLinks } = deps

  return {
    async register(actor: Actor<null>, { email, password, name }: NewAccount) {
      passwords.refuseCommon(password, 'password')
      await questions.ask(actor.ip, email)
      const passwordHash = await passwords.hash(password)
      return db.transaction(async (tx): Promise<LoggedIn> => {
        if (await isReserved(tx, email, now())) throw taken()
        const [user] = await tx
          .insert(users)
          .values({ email, name, passwordHash, createdAt: now() })
          .onConflictDoNothing({ target: users.email })
          .returning(userColumns)
        if (!user) throw taken()
        // After the answer about accounts: which of them is the admin's is nobody's business.
        refuseShopAddress(email)
        // Whoever signs up with someone's address can delete that account and start over.
        if (await attempts.mayMail(tx, 'welcome', email)) {
          const tokenId = await passwordLinks.create(tx, user.id, 'firstPassword')
          await mails.send(tx, email, 'welcome', { tokenId })
        }
        return {
          user,
          authenticated: { userId: user.id, passwordHash, provenBy: 'password', refusal: wrongPassword },
        }
      })
    },

    /** Known or unknown, right or wrong: the same work, and the same answer for everyone but the owner. */
    async login(actor: Actor<null>, { email, password }: Credentials): Promise<LoggedIn> {
      const known = await knownDevice(db, email, actor.device)
      const limit = { requests: 10, seconds: 900 }
      await attempts.count('login', email, limit, { device: known }).catch((error: unknown) => {
        securityLog('login locked', actor)
        throw error
      })
      const [found] = await db
        .select({ passwordHash: users.passwordHash, user: userColumns })
        .from(users)
        .where(and(eq(users.email, email), isNull(users.deletedAt)))
      const isRight = await passwords.matches(password, found?.passwordHash)
      securityLog(isRight ? 'login' : 'login failed', { ...actor, user: found?.user ?? null })
      if (!isRight || !found) throw wrongPassword()
      await attempts.clear('login', email, known)
      const { user, passwordHash } = found
      return {
        user,
        authenticated: { userId: user.id, passwordHash, provenBy: 'password', refusal: wrongPassword },
      }
    },
  }
}
