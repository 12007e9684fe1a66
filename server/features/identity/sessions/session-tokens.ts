import { and, eq, gt, isNull, or, sql } from 'drizzle-orm'
import { isStaff } from '#contract/permissions.ts'
import { retention } from '#contract/retention.ts'
import type { User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/connect.ts'
import { sessions, userColumns, users } from '#server/database/schema.ts'
import { hashToken, randomToken } from '#server/security/tokens.ts'

const hour = 3_600_000
const day = 24 * hour
/** Days after the last use. */
export const sessionDays = retention.sessions.days
/** Maximum lifetime after the login, in ms. */
const longest = (user: Pick<User, 'isAdmin' | 'role'>) => (isStaff(user) ? 12 * hour : 90 * day)
/** Tokens rotate hourly, so that a stolen copy stops working or is detected. */
const tokenLifetime = hour
/** Concurrent requests may still carry a token that was replaced in the last 60 s. */
const overlap = 60_000

type Begun = { now: Date; begun: Date; user: Pick<User, 'isAdmin' | 'role'> }

export const expiry = ({ now, begun, user }: Begun) =>
  new Date(Math.min(now.getTime() + sessionDays * day, begun.getTime() + longest(user)))

/** Matches the current token and the one it replaced. */
export const withToken = (hash: string) => or(eq(sessions.tokenHash, hash), eq(sessions.previousTokenHash, hash))

/** `newToken` must be sent to the browser. */
type Found = Session & { newToken?: string | undefined }

export type FindSession = (token: string, ip: string) => Promise<Found | undefined>

export function createFind({ db, now, securityLog }: Pick<Context, 'db' | 'now' | 'securityLog'>): FindSession {
  const load = prepareLoad(db, now, sessions.tokenHash)
  const loadReplaced = prepareLoad(db, now, sessions.previousTokenHash)
  const since = (time: Date) => now().getTime() - time.getTime()

  /** Only one of several concurrent requests gets the new token. */
  async function rotate({ id, tokenHash, createdAt, user }: Session, presented: string) {
    const token = randomToken()
    const rotated = await db
      .update(sessions)
      .set({
        tokenHash: hashToken(token),
        previousTokenHash: presented,
        rotatedAt: now(),
        lastUsedAt: now(),
        expiresAt: expiry({ now: now(), begun: createdAt, user }),
      })
      .where(and(eq(sessions.id, id), eq(sessions.tokenHash, tokenHash)))
    return rotated.rowCount === 1 ? token : undefined
  }

  async function useCurrent(found: Session): Promise<Found> {
    const { id, tokenHash, previousTokenHash, rotatedAt, createdAt } = found
    if (since(rotatedAt ?? createdAt) > tokenLifetime) return { ...found, newToken: await rotate(found, tokenHash) }
    if (previousTokenHash && !hasArrived(found))
      await db.update(sessions).set({ lastUsedAt: now() }).where(eq(sessions.id, id))
    return found
  }

  /** Accepts a replaced token until the new one is in use. After that, it is a copy, and the session ends. */
  async function useReplaced(found: Session, presented: string, ip: string): Promise<Found | undefined> {
    const { id, user, rotatedAt } = found
    if (rotatedAt && since(rotatedAt) <= overlap) return found
    if (!hasArrived(found)) return { ...found, newToken: await rotate(found, presented) }
    await db.delete(sessions).where(eq(sessions.id, id))
    securityLog('session copied', { user, ip })
    return undefined
  }

  return async function find(token, ip) {
    const hash = hashToken(token)
    const current = await load(hash)
    const found = current ?? (await loadReplaced(hash))
    if (!found || since(found.createdAt) >= longest(found.user)) return undefined
    return current ? useCurrent(current) : useReplaced(found, hash, ip)
  }
}

type Session = NonNullable<Awaited<ReturnType<ReturnType<typeof prepareLoad>>>>

/** True once the browser has sent its new token. */
const hasArrived = ({ lastUsedAt, rotatedAt }: Session) => rotatedAt !== null && lastUsedAt > rotatedAt

/** Runs on every call. The statement is built once and sent unnamed, which a pooler in transaction mode needs. */
function prepareLoad(db: Database, now: () => Date, by: typeof sessions.tokenHash | typeof sessions.previousTokenHash) {
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
      and(eq(by, sql.placeholder('hash')), gt(sessions.expiresAt, sql.placeholder('now')), isNull(users.deletedAt)),
    )
    .prepare('')
  return async (hash: string) => (await statement.execute({ hash, now: now() }))[0]
}
