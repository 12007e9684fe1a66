import { and, eq, gt, isNull, or, sql } from 'drizzle-orm'
import { dayMs } from '#contract/dates.ts'
import { isStaff } from '#contract/permissions.ts'
import { retention } from '#contract/retention.ts'
import type { User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/connect.ts'
import { sessions, userColumns, users } from '#server/database/schema.ts'
import { hashToken, randomToken } from '#server/security/tokens.ts'

const hourMs = 3_600_000
/** A session ends this many days after its last use. */
export const sessionDays = retention.sessions.days
const maxLifetimeMs = (user: Pick<User, 'isAdmin' | 'role'>) => (isStaff(user) ? 12 * hourMs : 90 * dayMs)
/** Tokens rotate hourly, so that a stolen copy stops working or is detected. */
const tokenLifetimeMs = hourMs
/** Concurrent requests may still carry a token that was replaced in the last 60 s. */
const overlapMs = 60_000

type SessionTimes = { now: Date; createdAt: Date; user: Pick<User, 'isAdmin' | 'role'> }

export const expiryOf = ({ now, createdAt, user }: SessionTimes) =>
  new Date(Math.min(now.getTime() + sessionDays * dayMs, createdAt.getTime() + maxLifetimeMs(user)))

/** Matches the current token and the one it replaced. */
export const withToken = (hash: string) => or(eq(sessions.tokenHash, hash), eq(sessions.previousTokenHash, hash))

/** The browser must get `newToken`. */
type FoundSession = Session & { newToken?: string | undefined }

export type FindSession = (token: string, ip: string) => Promise<FoundSession | undefined>

export function createFindSession({ db, now, securityLog }: Pick<Context, 'db' | 'now' | 'securityLog'>): FindSession {
  const load = prepareLoad(db, now, sessions.tokenHash)
  const loadReplaced = prepareLoad(db, now, sessions.previousTokenHash)
  const msSince = (time: Date) => now().getTime() - time.getTime()

  /** Returns a new token to one of several concurrent requests, undefined to the others. */
  async function rotate({ id, tokenHash, createdAt, user }: Session, presentedHash: string) {
    const token = randomToken()
    const rotated = await db
      .update(sessions)
      .set({
        tokenHash: hashToken(token),
        previousTokenHash: presentedHash,
        rotatedAt: now(),
        lastUsedAt: now(),
        expiresAt: expiryOf({ now: now(), createdAt, user }),
      })
      .where(and(eq(sessions.id, id), eq(sessions.tokenHash, tokenHash)))
    return rotated.rowCount === 1 ? token : undefined
  }

  async function useCurrent(session: Session): Promise<FoundSession> {
    const { id, tokenHash, previousTokenHash, rotatedAt, createdAt } = session
    if (msSince(rotatedAt ?? createdAt) > tokenLifetimeMs) {
      const newToken = await rotate(session, tokenHash)
      return { ...session, newToken }
    }
    // Records the first use of a new token, after which the old one counts as copied.
    const isFirstUse = previousTokenHash !== null && !hasUsedNewToken(session)
    if (isFirstUse) await db.update(sessions).set({ lastUsedAt: now() }).where(eq(sessions.id, id))
    return session
  }

  /** Accepts a replaced token until the new one is used. After that, the old one must be a copy, so the session ends. */
  async function useReplaced(session: Session, presentedHash: string, ip: string): Promise<FoundSession | undefined> {
    const { id, user, rotatedAt } = session
    if (rotatedAt && msSince(rotatedAt) <= overlapMs) return session
    if (!hasUsedNewToken(session)) return { ...session, newToken: await rotate(session, presentedHash) }
    await db.delete(sessions).where(eq(sessions.id, id))
    securityLog('session copied', { user, ip })
    return undefined
  }

  return async function find(token, ip) {
    const hash = hashToken(token)
    const current = await load(hash)
    const session = current ?? (await loadReplaced(hash))
    if (!session || msSince(session.createdAt) >= maxLifetimeMs(session.user)) return undefined
    return current ? useCurrent(current) : useReplaced(session, hash, ip)
  }
}

type LoadSession = ReturnType<typeof prepareLoad>
type Session = NonNullable<Awaited<ReturnType<LoadSession>>>

const hasUsedNewToken = ({ lastUsedAt, rotatedAt }: Session) => rotatedAt !== null && lastUsedAt > rotatedAt

type HashColumn = typeof sessions.tokenHash | typeof sessions.previousTokenHash

/** Returns a function that runs on every call. Its statement is built once and sent unnamed, for a pooler in transaction mode. */
function prepareLoad(db: Database, now: () => Date, hashColumn: HashColumn) {
  const statement = db
    .select({
      id: sessions.id,
      tokenHash: sessions.tokenHash,
      previousTokenHash: sessions.previousTokenHash,
      rotatedAt: sessions.rotatedAt,
      createdAt: sessions.createdAt,
      lastUsedAt: sessions.lastUsedAt,
      provenBy: sessions.provenBy,
      provenAt: sessions.provenAt,
      proofUsedAt: sessions.proofUsedAt,
      user: userColumns,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(
        eq(hashColumn, sql.placeholder('hash')),
        gt(sessions.expiresAt, sql.placeholder('now')),
        isNull(users.deletedAt),
      ),
    )
    .prepare('')
  return async (hash: string) => (await statement.execute({ hash, now: now() }))[0]
}
