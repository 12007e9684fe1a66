import { randomUUID } from 'node:crypto'
import { and, eq, gt, isNull, lt, lte, type SQL } from 'drizzle-orm'
import { dayMs } from '#contract/dates.ts'
import { isStaff } from '#contract/permissions.ts'
import type { Actor, User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { passwordTokens, userColumns, users } from '#server/database/schema.ts'
import { conflict, Refusal } from '#server/errors.ts'
import { createPasswordCheck } from '#server/security/own-password.ts'
import { hashToken } from '#server/security/tokens.ts'
import { endSessions, type LoginResult } from '../sessions/sessions.ts'
import { dropPendingChange, proveAddress } from './proof.ts'

type PasswordDeps = Pick<
  Context,
  'attempts' | 'db' | 'linkToken' | 'mails' | 'now' | 'passwordHasher' | 'queue' | 'securityLog'
>

export type Passwords = {
  /** Returns the id of the link, which emails carry instead of its secret. */
  createLink(tx: Transaction, userId: string, kind: LinkKind): Promise<string>
  /** Finds a link, even if it was used. Its `use()` throws if it was used. Both throw once it has expired. */
  findLink(tx: Transaction, token: string): Promise<Link>
  /** Gives the same answer for every address. */
  requestReset(email: string): Promise<void>
  checkLink(token: string): Promise<{ email: string }>
  /** Ends every session. Returns a login after a buyer's first password, because the link proves as much as a login link. */
  resetPassword(actor: Actor<User | null>, token: string, newPassword: string): Promise<LoginResult | undefined>
  changePassword(actor: Actor, change: PasswordChange): Promise<void>
  forgetExpired(): Promise<void>
}

const hourMs = 3_600_000
const maxUnusedResetLinks = 3
const linkLifetimesMs = { reset: hourMs, firstPassword: 7 * dayMs, login: hourMs / 4 }

type LinkKind = keyof typeof linkLifetimesMs

type PasswordChange = { currentPassword: string; newPassword: string }
type Link = { userId: string; use(): Promise<void> }

const invalidResetLink = () => new Refusal(400, 'link-invalid', 'Failed to reset password. The link may have expired.')

const expiredLink = () => new Refusal(400, 'link-invalid', 'This link no longer works.')

export type PasswordLinks = Pick<Passwords, 'createLink' | 'findLink'>

export function createPasswords(context: PasswordDeps): Passwords {
  const { db, now, mails, queue, passwordHasher, attempts, linkToken, securityLog } = context
  const checkPassword = createPasswordCheck(context)

  /** The link's secret is derived from the row's id when the email is written; only its hash is stored. */
  async function createLink(tx: Transaction, userId: string, kind: LinkKind) {
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
        expiresAt: new Date(now().getTime() + linkLifetimesMs[kind]),
      })
    return tokenId
  }

  // A job looks up the account, so that the request takes the same time for every address.
  const enqueueReset = queue.defineJob<{ email: string }>('password-reset', ({ email }) =>
    db.transaction(async (tx) => {
      const [user] = await tx
        .select({ id: users.id, passwordHash: users.passwordHash })
        .from(users)
        .where(eq(users.email, email))
        .for('no key update')
      if (!user) return
      // Limits the working links, so that nobody can flood the mailbox. Links to a first password last longer and don't count.
      const isWorkingResetLink = and(
        eq(passwordTokens.userId, user.id),
        eq(passwordTokens.purpose, 'password'),
        isNull(passwordTokens.usedAt),
        gt(passwordTokens.expiresAt, now()),
        lte(passwordTokens.expiresAt, new Date(now().getTime() + linkLifetimesMs.reset)),
      )
      if ((await tx.$count(passwordTokens, isWorkingResetLink)) >= maxUnusedResetLinks) return
      const tokenId = await createLink(tx, user.id, 'reset')
      if (user.passwordHash) await mails.send(tx, email, 'resetPassword', { tokenId })
      else await mails.send(tx, email, 'choosePassword', { tokenId })
    }),
  )

  const isUsable = (token: string) => isUsablePasswordLink(token, now())

  return {
    createLink,

    async findLink(tx, token) {
      const matchesToken = and(eq(passwordTokens.tokenHash, hashToken(token)), eq(passwordTokens.purpose, 'password'))
      const [found] = await tx.select().from(passwordTokens).where(matchesToken)
      if (!found || found.expiresAt <= now()) throw expiredLink()
      return {
        userId: found.userId,
        async use() {
          const used = await tx.update(passwordTokens).set({ usedAt: now() }).where(isUsable(token))
          if (used.rowCount === 0) throw expiredLink()
        },
      }
    },

    requestReset: (email) => enqueueReset(db, { email }),

    checkLink: (token) => findAccountOfLink(db, isUsable(token)),

    async resetPassword(actor, token, newPassword) {
      passwordHasher.refuseCommon(newPassword, 'newPassword')
      const [link] = await db.select({ id: passwordTokens.id }).from(passwordTokens).where(isUsable(token))
      if (!link) throw invalidResetLink()
      const passwordHash = await passwordHasher.hash(newPassword)
      return db.transaction(async (tx) => {
        const [usedLink] = await tx
          .update(passwordTokens)
          .set({ usedAt: now() })
          .where(isUsable(token))
          .returning({ userId: passwordTokens.userId })
        if (!usedLink) throw invalidResetLink()
        const { userId } = usedLink

        const isFirstPassword = await hasNoPassword(tx, userId)
        const isInOwnSession = actor.user?.id === userId
        if (!(await proveAddress(tx, userId, { at: now(), isInOwnSession }))) throw invalidResetLink()
        const [changed] = await tx
          .update(users)
          .set({ passwordHash })
          .where(eq(users.id, userId))
          .returning({ ...userColumns, handedOverAt: users.handedOverAt })
        if (!changed) throw invalidResetLink()
        const { handedOverAt, ...user } = changed

        await invalidateLinks(tx, userId, now())
        await dropPendingChange(tx, userId)
        await endSessions(tx, userId)
        await attempts.clearAll(tx, user.email)

        if (!isFirstPassword) await mails.send(tx, user.email, 'passwordChanged', {})
        if (!isFirstPassword || isStaff(user)) return undefined
        securityLog('login', { ...actor, user }, { step: 'first password' })
        return loginResultOf(user, { passwordHash, handedOverAt })
      })
    },

    async changePassword(actor, { currentPassword, newPassword }) {
      const { user, sessionId } = actor
      passwordHasher.refuseCommon(newPassword, 'newPassword')
      const oldPasswordHash = await checkPassword(actor, currentPassword, 'currentPassword')
      const passwordHash = await passwordHasher.hash(newPassword)
      await db.transaction(async (tx) => {
        const changed = await tx
          .update(users)
          .set({ passwordHash })
          .where(and(eq(users.id, user.id), eq(users.passwordHash, oldPasswordHash)))
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

/** The credentials let the start of the session refuse if the password or the account's owner has changed meanwhile. */
const loginResultOf = (
  user: User,
  credentials: Pick<LoginResult['authentication'], 'passwordHash' | 'handedOverAt'>,
): LoginResult => ({
  user,
  authentication: { userId: user.id, ...credentials, provenBy: 'link', refusalIfChanged: invalidResetLink },
})

async function invalidateLinks(tx: Transaction, userId: string, at: Date) {
  await tx
    .update(passwordTokens)
    .set({ usedAt: at })
    .where(and(eq(passwordTokens.userId, userId), isNull(passwordTokens.usedAt)))
}

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

/** Throws if no usable link has this token. */
async function findAccountOfLink(db: Database, isUsable: SQL | undefined) {
  const [found] = await db
    .select({ email: users.email })
    .from(passwordTokens)
    .innerJoin(users, eq(users.id, passwordTokens.userId))
    .where(isUsable)
  if (!found) throw invalidResetLink()
  return found
}
