import { and, eq, isNull } from 'drizzle-orm'
import type { ParsedInputOf } from '#contract/endpoint.ts'
import type { accounts } from '#contract/identity/accounts.ts'
import type { Actor, User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { userColumns, users } from '#server/database/schema.ts'
import { conflict, Refusal } from '#server/errors.ts'
import { knownDevice, type LoggedIn } from '../sessions/sessions.ts'
import type { PasswordLinks } from './passwords.ts'
import { isReserved, prove } from './proof.ts'

type LoginContext = Pick<
  Context,
  'attempts' | 'db' | 'mails' | 'now' | 'passwords' | 'refuseShopAddress' | 'securityLog'
>

/** Signing up and logging in, up to the point where the session starts. */
export type Login = {
  register(actor: Actor<null>, account: NewAccount): Promise<LoggedIn>
  /** Takes the same time and gives the same answer for unknown addresses and wrong passwords. */
  login(actor: Actor<null>, credentials: Credentials): Promise<LoggedIn>
  sendConfirmation(actor: Actor): Promise<void>
  /** Outside the account's own session, asks for a new password: a stranger may have set the present one. */
  confirmAddress(actor: Actor<User | null>, token: string): Promise<{ choosePassword: boolean }>
}

type Credentials = { email: string; password: string }
type NewAccount = ParsedInputOf<typeof accounts.register>

const wrongPassword = () => new Refusal(401, 'wrong-credentials', 'Invalid email or password')
const emailTaken = () =>
  conflict(
    'account-not-created',
    'Could not create account. If you already have one, log in or use “Forgot password?”.',
  )

export function createLogin(context: LoginContext, passwordLinks: PasswordLinks): Login {
  const { db, now, mails, passwords, attempts, securityLog, refuseShopAddress } = context

  return {
    async register(actor, { password, ...account }) {
      const { email } = account
      passwords.refuseCommon(password, 'password')
      await attempts.countQuestion(actor.ip, email)
      const passwordHash = await passwords.hash(password)
      return db.transaction(async (tx): Promise<LoggedIn> => {
        if (await isReserved(tx, email, now())) throw emailTaken()
        const [user] = await tx
          .insert(users)
          .values({ ...account, passwordHash, createdAt: now() })
          .onConflictDoNothing({ target: users.email })
          .returning(userColumns)
        if (!user) throw emailTaken()
        // Checked last, so that the answer does not tell which account is the admin's.
        refuseShopAddress(email)
        // Limited by network: repeated sign-ups by a stranger must not use up the owner's emails.
        if (await attempts.mayMailFrom(tx, 'welcome', actor.ip, email)) {
          const tokenId = await passwordLinks.createLink(tx, user.id, 'firstPassword')
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

    async login(actor, { email, password }) {
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

    async sendConfirmation({ user }) {
      if (user.isProven) return
      await attempts.countOrRefuse('confirmation', user.id, { requests: 5, seconds: 86_400 })
      await db.transaction(async (tx) => {
        const tokenId = await passwordLinks.createLink(tx, user.id, 'firstPassword')
        await mails.send(tx, user.email, 'confirmAddress', { tokenId })
      })
    },

    async confirmAddress(actor, token) {
      return db.transaction(async (tx) => {
        const { userId, use } = await passwordLinks.findLink(tx, token)
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
