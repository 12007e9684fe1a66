import { randomUUID } from 'node:crypto'
import { and, eq, gt, isNull, lt, lte, type SQL } from 'drizzle-orm'
import { isStaff } from '#contract/permissions.ts'
import type { Actor, User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { passwordTokens, userColumns, users } from '#server/database/schema.ts'
import { conflict, Refusal } from '#server/errors.ts'
import { createPasswordCheck } from '#server/security/own-password.ts'
import { hashToken } from '#server/security/tokens.ts'
import { endSessions, type LoggedIn } from '../sessions/sessions.ts'
import { dropPendingChange, prove } from './proof.ts'

type PasswordDeps = Pick<
  Context,
  'attempts' | 'db' | 'linkToken' | 'mails' | 'now' | 'passwords' | 'queue' | 'securityLog'
>

export type Passwords = {
  /** Returns the id of the link, which emails carry instead of its secret. */
  createLink(tx: Transaction, userId: string, kind: keyof typeof lifetimes): Promise<string>
  /** Finds the owner of a link, used or not. `use` refuses a used one. */
  findLink(tx: Transaction, token: string): Promise<Link>
  /** Gives the same answer for every address. `mostLinksAnHour` limits the unused links of an account. */
  requestReset(email: string): Promise<void>
  checkLink(token: string): Promise<{ email: string }>
  /**
   * Uses a link once, even under concurrency, and ends every session. Returns a buyer's login if this was the account's
   * first password: the link proves as much as a login link.
   */
  resetPassword(actor: Actor<User | null>, token: string, newPassword: string): Promise<LoggedIn | undefined>
  changePassword(actor: Actor, change: Change): Promise<void>
  forgetExpired(): Promise<void>
}

const hour = 3_600_000
const mostLinksAnHour = 3
const lifetimes = { reset: hour, firstPassword: 7 * 24 * hour, login: hour / 4 }

type Change = { currentPassword: string; newPassword: string }
type Link = { userId: string; use(): Promise<void> }

const uselessLink = () => new Refusal(400, 'link-invalid', 'Failed to reset password. The link may have expired.')

export type PasswordLinks = Pick<Passwords, 'createLink' | 'findLink'>

export function createPasswords(context: PasswordDeps): Passwords {
  const { db, now, mails, queue, passwords, attempts, linkToken, securityLog } = context
  const checkPassword = createPasswordCheck(context)

  /** The link's secret is derived from the row's id when the email is written; only its hash is stored. */
  async function create(tx: Transaction, userId: string, kind: keyof typeof lifetimes) {
    const tokenId = randomUUID()
    const purpose = kind === 'login' ? 'login' : 'password'
    await tx
      .insert(passwordTokens)
      .values({
        id: tokenId,
        tokenHash: hashToken(linkToken(purpose, tokenId)),
        purpose,
        userId,
        createdAt: now(),
        expiresAt: new Date(now().getTime() + lifetimes[kind]),
      })
    return tokenId
  }

  // A job looks up the account, so that the request takes as long for every address.
  const enqueueReset = queue.job<{ email: string }>('password-reset', ({ email }) =>
    db.transaction(async (tx) => {
      const [user] = await tx
        .select({ id: users.id, passwordHash: users.passwordHash })
        .from(users)
        .where(eq(users.email, email))
        .for('no key update')
      if (!user) return
      // At most `mostLinksAnHour` working links, so that nobody floods the mailbox.
      const isWorkingResetLink = and(
        eq(passwordTokens.userId, user.id),
        eq(passwordTokens.purpose, 'password'),
        isNull(passwordTokens.usedAt),
        gt(passwordTokens.expiresAt, now()),
        lte(passwordTokens.expiresAt, new Date(now().getTime() + lifetimes.reset)),
      )
      if ((await tx.$count(passwordTokens, isWorkingResetLink)) >= mostLinksAnHour) return
      const tokenId = await create(tx, user.id, 'reset')
      if (user.passwordHash) await mails.send(tx, email, 'resetPassword', { tokenId })
      else await mails.send(tx, email, 'choosePassword', { tokenId })
    }),
  )

  const usable = (token: string) => isUsablePasswordLink(token, now())

  return {
    createLink: create,

    async findLink(tx, token) {
      const matchesToken = and(eq(passwordTokens.tokenHash, hashToken(token)), eq(passwordTokens.purpose, 'password'))
      const [found] = await tx.select().from(passwordTokens).where(matchesToken)
      if (!found || found.expiresAt <= now()) throw new Refusal(400, 'link-invalid', 'This link no longer works.')
      return {
        userId: found.userId,
        async use() {
          const used = await tx.update(passwordTokens).set({ usedAt: now() }).where(usable(token))
          if (used.rowCount === 0) throw new Refusal(400, 'link-invalid', 'This link no longer works.')
        },
      }
    },

    requestReset: (email) => enqueueReset(db, { email }),

    checkLink: (token) => findAccountOfLink(db, usable(token)),

    async resetPassword(actor, token, newPassword) {
      passwords.refuseCommon(newPassword, 'newPassword')
      const [known] = await db.select({ id: passwordTokens.id }).from(passwordTokens).where(usable(token))
      if (!known) throw uselessLink()
      const passwordHash = await passwords.hash(newPassword)
      return db.transaction(async (tx) => {
        const [used] = await tx
          .update(passwordTokens)
          .set({ usedAt: now() })
          .where(usable(token))
          .returning({ userId: passwordTokens.userId })
        if (!used) throw uselessLink()
        const isFirst = await hasNoPassword(tx, used.userId)
        const inOwnSession = actor.user?.id === used.userId
        if (!(await prove(tx, used.userId, { at: now(), inOwnSession }))) throw uselessLink()
        const [changed] = await tx
          .update(users)
          .set({ passwordHash })
          .where(eq(users.id, used.userId))
          .returning({ ...userColumns, handedOverAt: users.handedOverAt })
        if (!changed) throw uselessLink()
        const { handedOverAt, ...user } = changed
        await tx
          .update(passwordTokens)
          .set({ usedAt: now() })
          .where(and(eq(passwordTokens.userId, used.userId), isNull(passwordTokens.usedAt)))
        await dropPendingChange(tx, used.userId)
        await endSessions(tx, used.userId)
        await attempts.clearAll(tx, user.email)
        if (!isFirst) await mails.send(tx, user.email, 'passwordChanged', {})
        if (!isFirst || isStaff(user)) return undefined
        securityLog('login', { ...actor, user }, { step: 'first password' })
        return firstLogin(user, { passwordHash, handedOverAt })
      })
    },

    async changePassword(actor, { currentPassword, newPassword }) {
      const { user, sessionId } = actor
      passwords.refuseCommon(newPassword, 'newPassword')
      const before = await checkPassword(actor, currentPassword, 'currentPassword')
      const passwordHash = await passwords.hash(newPassword)
      await db.transaction(async (tx) => {
        const changed = await tx
          .update(users)
          .set({ passwordHash })
          .where(and(eq(users.id, user.id), eq(users.passwordHash, before)))
        if (changed.rowCount === 0)
          throw conflict('changed-meanwhile', 'Your password was changed just now. Please log in again.')
        await tx.delete(passwordTokens).where(eq(passwordTokens.userId, user.id))
        await dropPendingChange(tx, user.id)
        await endSessions(tx, user.id, { except: sessionId })
        await attempts.clearAll(tx, user.email)
        await mails.send(tx, user.email, 'passwordChanged', {})
      })
    },

    async forgetExpired() {
      await db.delete(passwordTokens).where(lt(passwordTokens.expiresAt, now()))
    },
  }
}

const firstLogin = (
  user: User,
  credentials: Pick<LoggedIn['authenticated'], 'passwordHash' | 'handedOverAt'>,
): LoggedIn => ({ user, authenticated: { userId: user.id, ...credentials, provenBy: 'link', refusal: uselessLink } })

async function hasNoPassword(tx: Transaction, userId: string) {
  const [user] = await tx.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, userId))
  return user?.passwordHash === null
}

const isUsablePasswordLink = (token: string, at: Date) =>
  and(
    eq(passwordTokens.tokenHash, hashToken(token)),
    eq(passwordTokens.purpose, 'password'),
    isNull(passwordTokens.usedAt),
    gt(passwordTokens.expiresAt, at),
  )

/** Returns the account of a usable link. Throws for any other token. */
async function findAccountOfLink(db: Database, isUsable: SQL | undefined) {
  const [found] = await db
    .select({ email: users.email })
    .from(passwordTokens)
    .innerJoin(users, eq(users.id, passwordTokens.userId))
    .where(isUsable)
  if (!found) throw uselessLink()
  return found
}
