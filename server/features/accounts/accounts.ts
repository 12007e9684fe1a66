import { randomUUID } from 'node:crypto'
import { and, eq, gt, isNull, lt } from 'drizzle-orm'
import type { Database, Transaction } from '../../database/connect.ts'
import { passwordTokens, users } from '../../database/schema.ts'
import { conflict, Refusal } from '../../errors.ts'
import { hashToken, type Proven, type Sessions, type SessionUser } from '../../http/session.ts'
import type { Queue } from '../../jobs/queue.ts'
import type { Attempts } from '../../security/attempts.ts'
import type { Passwords } from '../../security/passwords.ts'
import type { Secrets } from '../../security/secrets.ts'
import type { Mails } from '../mails/mails.ts'

export type Accounts = ReturnType<typeof createAccounts>

type Dependencies = {
  db: Database
  now: () => Date
  mails: Mails
  queue: Queue
  passwords: Passwords
  attempts: Attempts
  sessions: Sessions
  linkToken: Secrets['linkToken']
}

const minutes = 60_000
const resetLinkLives = 60 * minutes
const firstPasswordLinkLives = 7 * 24 * 60 * minutes

const sessionUser = {
  id: users.id,
  name: users.name,
  email: users.email,
  isAdmin: users.isAdmin,
  createdAt: users.createdAt,
}

type LoggedIn = { user: SessionUser; proven: Proven }

const wrongPassword = () => new Refusal(401, 'Invalid email or password')
const uselessLink = () => new Refusal(400, 'Failed to reset password. The link may have expired.')

export function createAccounts(deps: Dependencies) {
  const { db, now, mails, passwords, attempts, sessions, linkToken } = deps

  // The request for a reset does the same for every address; who has an account is looked up here, later.
  const enqueueReset = deps.queue.job<{ email: string }>('password-reset', ({ email }) =>
    db.transaction(async (tx) => {
      const [user] = await tx.select({ id: users.id }).from(users).where(eq(users.email, email))
      if (!user) return
      const tokenId = await makePasswordToken(tx, user.id, resetLinkLives)
      await mails.send(tx, email, 'resetPassword', { tokenId })
    }),
  )

  /** The link's secret is made from the row's id when the mail is written; here only its hash is kept. */
  async function makePasswordToken(tx: Transaction, userId: string, lives: number) {
    const tokenId = randomUUID()
    await tx.insert(passwordTokens).values({
      id: tokenId,
      tokenHash: hashToken(linkToken('password', tokenId)),
      userId,
      createdAt: now(),
      expiresAt: new Date(now().getTime() + lives),
    })
    return tokenId
  }

  const usable = (token: string) =>
    and(
      eq(passwordTokens.tokenHash, hashToken(token)),
      isNull(passwordTokens.usedAt),
      gt(passwordTokens.expiresAt, now()),
    )

  return {
    async register({ email, password, name }: { email: string; password: string; name: string }) {
      passwords.refuseCommon(password, 'password')
      const passwordHash = await passwords.hash(password)
      return db.transaction(async (tx): Promise<LoggedIn> => {
        const [user] = await tx
          .insert(users)
          .values({ email, name, passwordHash, createdAt: now() })
          .onConflictDoNothing({ target: users.email })
          .returning(sessionUser)
        if (!user)
          throw conflict(
            'Could not create account. If you already have one, log in or use "Forgot password?".',
          )
        await mails.send(tx, email, 'welcome', { name })
        return { user, proven: { userId: user.id, passwordHash, orElse: wrongPassword } }
      })
    },

    /** Known or unknown, right or wrong: the same work, and the same answer to everybody but the owner. */
    async login({ email, password }: { email: string; password: string }): Promise<LoggedIn> {
      await attempts.count('login', email, { max: 10, minutes: 15 })
      const [found] = await db
        .select({ passwordHash: users.passwordHash, user: sessionUser })
        .from(users)
        .where(and(eq(users.email, email), isNull(users.deletedAt)))
      if (!(await passwords.matches(password, found?.passwordHash)) || !found) throw wrongPassword()
      await attempts.forget('login', email)
      const { user, passwordHash } = found
      return { user, proven: { userId: user.id, passwordHash, orElse: wrongPassword } }
    },

    async requestReset(email: string) {
      await attempts.count('reset', email, { max: 3, minutes: 60 })
      await enqueueReset(db, { email })
    },

    /** A link works once, also when it is used twice at the same moment, and ends every session. */
    async resetPassword(token: string, newPassword: string) {
      passwords.refuseCommon(newPassword, 'newPassword')
      const [known] = await db.select({ id: passwordTokens.id }).from(passwordTokens).where(usable(token))
      if (!known) throw uselessLink()
      const passwordHash = await passwords.hash(newPassword)
      await db.transaction(async (tx) => {
        const [used] = await tx
          .update(passwordTokens)
          .set({ usedAt: now() })
          .where(usable(token))
          .returning({ userId: passwordTokens.userId })
        if (!used) throw uselessLink()
        const [user] = await tx
          .update(users)
          .set({ passwordHash, verifiedAt: now() })
          .where(and(eq(users.id, used.userId), isNull(users.deletedAt)))
          .returning({ email: users.email })
        if (!user) throw uselessLink()
        await tx
          .update(passwordTokens)
          .set({ usedAt: now() })
          .where(and(eq(passwordTokens.userId, used.userId), isNull(passwordTokens.usedAt)))
        await sessions.endAll(used.userId, tx)
        await attempts.forget('login', user.email, tx)
        await mails.send(tx, user.email, 'passwordChanged', {})
      })
    },

    async profile(userId: string) {
      const [found] = await db
        .select({ name: users.name, tradingViewUsername: users.tradingViewUsername })
        .from(users)
        .where(eq(users.id, userId))
      return { name: found?.name ?? '', tradingViewUsername: found?.tradingViewUsername ?? '' }
    },

    async updateProfile(
      userId: string,
      { name, tradingViewUsername }: { name?: string | undefined; tradingViewUsername?: string | undefined },
    ) {
      await db
        .update(users)
        .set({
          name: name ?? users.name,
          tradingViewUsername:
            tradingViewUsername === undefined ? users.tradingViewUsername : tradingViewUsername || null,
        })
        .where(eq(users.id, userId))
    },

    async purgeTokens() {
      await db.delete(passwordTokens).where(lt(passwordTokens.expiresAt, now()))
    },

    /** The account of a guest who has paid: found, or made together with the mail to choose a password. */
    async forGuest(tx: Transaction, email: string): Promise<{ id: string; isNew: boolean }> {
      const [made] = await tx
        .insert(users)
        .values({ email, name: '', createdAt: now() })
        .onConflictDoNothing({ target: users.email })
        .returning({ id: users.id })
      if (made) {
        const tokenId = await makePasswordToken(tx, made.id, firstPasswordLinkLives)
        await mails.send(tx, email, 'setPassword', { name: '', tokenId })
        return { id: made.id, isNew: true }
      }
      const [known] = await tx.select({ id: users.id }).from(users).where(eq(users.email, email))
      if (!known) throw new Error('An account vanished while a guest was booked')
      return { id: known.id, isNew: false }
    },

    /**
     * Anybody can sign up with anybody's address. When something is paid for with one that nobody has verified, the
     * account begins anew for whoever reads its mail: what the one who signed up knows and wrote counts no more.
     */
    async handOver(tx: Transaction, { id, email }: { id: string; email: string }) {
      await tx
        .update(users)
        .set({ passwordHash: null, name: '', tradingViewUsername: null })
        .where(eq(users.id, id))
      await sessions.endAll(id, tx)
      const tokenId = await makePasswordToken(tx, id, firstPasswordLinkLives)
      await mails.send(tx, email, 'accountHandedOver', { tokenId })
    },
  }
}
