import { and, desc, eq, gt, isNull, lt, sql } from 'drizzle-orm'
import { deviceName } from '#contract/device-name.ts'
import { retention } from '#contract/retention.ts'
import type { Actor, User } from '../../actor.ts'
import type { Database, Transaction } from '../../database/connect.ts'
import { createLoader } from '../../database/loader.ts'
import { knownDevices, sessions, users } from '../../database/schema.ts'
import { notFound, type Refusal } from '../../errors.ts'
import type { Attempts } from '../../security/attempts.ts'
import { hashToken, randomToken } from '../../security/tokens.ts'
import type { Mails } from '../mails/mails.ts'
import { noteDevice } from './known-devices.ts'

export { knownDevice } from './known-devices.ts'

/**
 * Whose session starts, and the password hash they were checked against; null for a guest whose payment created the
 * account. If it has changed by the time the session starts, or the account was handed over, `refusal` is the answer.
 */
export type Authenticated = { userId: string; passwordHash: string | null; refusal: () => Refusal }

type Found = { id: string; user: User; isRenewed: boolean }
type Dependencies = { db: Database; now: () => Date; mails: Mails; attempts: Pick<Attempts, 'count'> }

const day = 86_400_000
/** After its last use. */
export const sessionDays = retention.sessions.days

export type Sessions = ReturnType<typeof createSessions>

/** After a password change, or for "log out everywhere". */
export async function endSessions(tx: Transaction | Database, userId: string) {
  await tx.delete(sessions).where(eq(sessions.userId, userId))
}

/** Who is logged in. The browser holds a random token, the database only its hash. */
export function createSessions({ db, now, mails, attempts }: Dependencies) {
  const load = prepareFind(db, now)
  /** Keeps us from flooding a mailbox, whoever logs in from wherever. */
  const mayTell = (tx: Transaction, userId: string) =>
    attempts.count('new device', userId, { requests: 3, seconds: 86_400 }, { tx }).then(
      () => true,
      () => false,
    )
  const expiry = () => new Date(now().getTime() + sessionDays * day)
  const end = (token: string) => db.delete(sessions).where(eq(sessions.tokenHash, hashToken(token)))

  return {
    /** One statement for the session and its user, shared by calls that arrive at the same moment. */
    async find(token: string): Promise<Found | undefined> {
      const found = await load(hashToken(token))
      if (!found) return undefined
      // Renewed while used, but written at most once a day.
      const isRenewed = now().getTime() - found.lastUsedAt.getTime() > day
      if (isRenewed)
        await db
          .update(sessions)
          .set({ lastUsedAt: now(), expiresAt: expiry() })
          .where(eq(sessions.id, found.id))
      return { id: found.id, user: found.user, isRenewed }
    },

    /** A new session always gets a new token, so a planted one is worthless; the old session ends. */
    async begin(
      { ip, userAgent, device: browser }: Actor<User | null>,
      { userId, passwordHash, refusal }: Authenticated,
      oldToken: string | undefined,
    ): Promise<string> {
      const token = randomToken()
      const device = { userAgent: userAgent.slice(0, 300), ip }
      if (oldToken) await end(oldToken)
      await db.transaction(async (tx) => {
        // Locked until the session exists: a reset either comes first and is seen, or comes after and ends it.
        const [unchanged] = await tx
          .select({ email: users.email, verifiedAt: users.verifiedAt })
          .from(users)
          .where(
            and(
              eq(users.id, userId),
              sql`${users.passwordHash} is not distinct from ${passwordHash}`,
              passwordHash === null ? isNull(users.handedOverAt) : undefined,
              isNull(users.deletedAt),
            ),
          )
          .for('share')
        if (!unchanged) throw refusal()
        await tx.insert(sessions).values({
          tokenHash: hashToken(token),
          userId,
          createdAt: now(),
          lastUsedAt: now(),
          expiresAt: expiry(),
          ...device,
        })
        const isNews = await noteDevice(tx, userId, { ...device, device: browser }, now())
        // Verified mailboxes only, because anyone can sign up with anyone's address.
        if (isNews && unchanged.verifiedAt && (await mayTell(tx, userId)))
          await mails.send(tx, unchanged.email, 'newDevice', {
            at: now().toISOString(),
            device: deviceName(userAgent),
            ip,
          })
      })
      return token
    },

    async end(token: string) {
      await end(token)
    },

    /** Where this user is logged in, most recent first. */
    devices: (userId: string) =>
      db
        .select({
          id: sessions.id,
          userAgent: sessions.userAgent,
          ip: sessions.ip,
          createdAt: sessions.createdAt,
          lastUsedAt: sessions.lastUsedAt,
        })
        .from(sessions)
        .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now())))
        .orderBy(desc(sessions.lastUsedAt), desc(sessions.id)),

    async endOne({ user }: Actor, id: string) {
      const ended = await db
        .delete(sessions)
        .where(and(eq(sessions.id, id), eq(sessions.userId, user.id)))
        .returning({ id: sessions.id })
      if (ended.length === 0) throw notFound('Device')
    },

    endAll: ({ user }: Actor) => endSessions(db, user.id),

    async forgetExpired() {
      await db.delete(sessions).where(lt(sessions.expiresAt, now()))
    },

    async forget(tx: Transaction, userId: string) {
      await endSessions(tx, userId)
      await tx.delete(knownDevices).where(eq(knownDevices.userId, userId))
    },

    async dataOf(userId: string) {
      const devices = await db
        .select({
          userAgent: sessions.userAgent,
          ip: sessions.ip,
          createdAt: sessions.createdAt,
          lastUsedAt: sessions.lastUsedAt,
        })
        .from(sessions)
        .where(eq(sessions.userId, userId))
        .orderBy(desc(sessions.lastUsedAt))
      return { devices }
    },
  }
}

/** Runs on every call: prepared, and batched for all callers at the same moment. */
function prepareFind(db: Database, now: () => Date) {
  const statement = db
    .select({
      id: sessions.id,
      tokenHash: sessions.tokenHash,
      lastUsedAt: sessions.lastUsedAt,
      user: {
        id: users.id,
        name: users.name,
        email: users.email,
        isAdmin: users.isAdmin,
        createdAt: users.createdAt,
      },
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(
        sql`${sessions.tokenHash} = any(${sql.placeholder('hashes')})`,
        gt(sessions.expiresAt, sql.placeholder('now')),
        isNull(users.deletedAt),
      ),
    )
    .prepare('find_sessions')
  return createLoader(async (hashes: string[]) => {
    const found = await statement.execute({ hashes, now: now() })
    return new Map(found.map((session) => [session.tokenHash, session]))
  })
}
