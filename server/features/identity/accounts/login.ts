import { and, eq, isNull } from 'drizzle-orm'
import type { Actor, User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { userColumns, users } from '#server/database/schema.ts'
import { conflict, Refusal } from '#server/errors.ts'
import { knownDevice, type LoggedIn } from '../sessions/sessions.ts'
import type { PasswordLinks } from './passwords.ts'
import { isReserved, prove } from './proof.ts'

type Credentials = { email: string; password: string }
type NewAccount = Credentials & { name: string }

const wrongPassword = () => new Refusal(401, 'wrong-credentials', 'Invalid email or password')
const taken = () =>
  conflict(
    'account-not-created',
    'Could not create account. If you already have one, log in or use “Forgot password?”.',
  )

/** Signing up and logging in, up to the point where the session starts. */
export function createLogin(
  context: Pick<Context, 'attempts' | 'db' | 'mails' | 'now' | 'passwords' | 'refuseShopAddress' | 'securityLog'>,
  passwordLinks: PasswordLinks,
) {
  const { db, now, mails, passwords, attempts, securityLog, refuseShopAddress } = context

  return {
    async register(actor: Actor<null>, { email, password, name }: NewAccount) {
      passwords.refuseCommon(password, 'password')
      await attempts.countQuestion(actor.ip, email)
      const passwordHash = await passwords.hash(password)
      return db.transaction(async (tx): Promise<LoggedIn> => {
        if (await isReserved(tx, email, now())) throw taken()
        const [user] = await tx
          .insert(users)
          .values({ email, name, passwordHash, createdAt: now() })
          .onConflictDoNothing({ target: users.email })
          .returning(userColumns)
        if (!user) throw taken()
        // After the answer about accounts: which of them is the admin's stays untold.
        refuseShopAddress(email)
        // Anyone who signs up with another person's address can delete that account and start over: counted by network,
        // so that nobody uses up what the owner of the address needs.
        if (await attempts.mayMailFrom(tx, 'welcome', actor.ip, email)) {
          const tokenId = await passwordLinks.create(tx, user.id, 'firstPassword')
          await mails.send(tx, email, 'welcome', { tokenId })
        }
        return {
          user,
          authenticated: {
            userId: user.id,
            passwordHash,
            handedOverAt: null,
            provenBy: 'password',
            refusal: wrongPassword,
          },
        }
      })
    },

    /** Known or unknown, right or wrong: the same work, and the same answer for everyone but the owner. */
    async login(actor: Actor<null>, { email, password }: Credentials): Promise<LoggedIn> {
      const known = await knownDevice(db, email, actor.device)
      const limit = { requests: 10, seconds: 900 }
      await attempts.countOrRefuse('login', email, limit, { device: known }).catch((error: unknown) => {
        securityLog('login locked', actor)
        throw error
      })
      const [found] = await db
        .select({ passwordHash: users.passwordHash, handedOverAt: users.handedOverAt, user: userColumns })
        .from(users)
        .where(and(eq(users.email, email), isNull(users.deletedAt)))
      const isRight = await passwords.matches(password, found?.passwordHash)
      securityLog(isRight ? 'login' : 'login failed', { ...actor, user: found?.user ?? null })
      if (!isRight || !found) throw wrongPassword()
      await attempts.clear('login', email, known)
      const { user, passwordHash, handedOverAt } = found
      return {
        user,
        authenticated: { userId: user.id, passwordHash, handedOverAt, provenBy: 'password', refusal: wrongPassword },
      }
    },

    async sendConfirmation({ user }: Actor) {
      if (user.isProven) return
      await attempts.countOrRefuse('confirmation', user.id, { requests: 5, seconds: 86_400 })
      await db.transaction(async (tx) => {
        const tokenId = await passwordLinks.create(tx, user.id, 'firstPassword')
        await mails.send(tx, user.email, 'confirmAddress', { tokenId })
      })
    },

    /** Anywhere but in its own session, the link asks for a new password: the one from before may be a stranger's. */
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
