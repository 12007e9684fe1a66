import { createHash, randomBytes } from 'node:crypto'
import { and, desc, eq, gt, isNull, lt, sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database, Transaction } from '../database/connect.ts'
import { inBatches } from '../database/in-batches.ts'
import { knownDevices, sessions, users } from '../database/schema.ts'
import { notFound, type Refusal } from '../errors.ts'

/** Who is logged in. The cookie holds a random token, the database only its hash. */
export type SessionUser = { id: string; name: string; email: string; isAdmin: boolean; createdAt: Date }
export type Session = { id: string; user: SessionUser }
type Device = { userAgent: string; ip: string }
/** Whose session begins, and the password it was checked against; null for an account that has none yet. */
export type Proven = { userId: string; passwordHash: string | null; orElse: () => Refusal }

const lifetimeDays = 30
const day = 86_400_000

export const hashToken = (token: string) => createHash('sha256').update(token).digest('base64url')

export type Sessions = ReturnType<typeof createSessions>

export function createSessions({
  db,
  now,
  secure,
  onNewDevice,
}: {
  db: Database
  now: () => Date
  secure: boolean
  /** Told, with the login, when it comes from a browser or an address this user never had. */
  onNewDevice: (tx: Transaction, email: string, device: Device) => Promise<void>
}) {
  const cookieName = secure ? '__Host-session' : 'session'

  const select = db
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
  const find = inBatches(async (hashes: string[]) => {
    const found = await select.execute({ hashes, now: now() })
    return new Map(found.map((session) => [session.tokenHash, session]))
  })

  function setCookie(reply: FastifyReply, token: string) {
    reply.setCookie(cookieName, token, {
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure,
      maxAge: (lifetimeDays * day) / 1000,
    })
  }

  const expiry = () => new Date(now().getTime() + lifetimeDays * day)

  async function end(request: FastifyRequest, reply?: FastifyReply) {
    const token = request.cookies[cookieName]
    if (token) await db.delete(sessions).where(eq(sessions.tokenHash, hashToken(token)))
    reply?.clearCookie(cookieName, { path: '/', httpOnly: true, sameSite: 'lax', secure })
  }

  /** Remembers the device. The very first one is no news. */
  async function meet(tx: Transaction, userId: string, device: Device) {
    const [known] = await tx
      .select({ email: users.email, devices: sql<number>`count(${knownDevices.fingerprint})::int` })
      .from(users)
      .leftJoin(knownDevices, eq(knownDevices.userId, users.id))
      .where(eq(users.id, userId))
      .groupBy(users.id)
    const added = await tx
      .insert(knownDevices)
      .values({ userId, fingerprint: hashToken(`${device.userAgent}\n${device.ip}`), firstSeenAt: now() })
      .onConflictDoNothing()
      .returning({ userId: knownDevices.userId })
    if (known && known.devices > 0 && added.length > 0) await onNewDevice(tx, known.email, device)
  }

  return {
    /** One statement for the session and its user, shared with who comes at the same moment; none without a cookie. */
    async read(request: FastifyRequest, reply: FastifyReply): Promise<Session | null> {
      const token = request.cookies[cookieName]
      if (!token) return null
      const found = await find(hashToken(token))
      if (!found) return null
      // Renewed while used, but written at most once a day.
      if (now().getTime() - found.lastUsedAt.getTime() > day) {
        await db
          .update(sessions)
          .set({ lastUsedAt: now(), expiresAt: expiry() })
          .where(eq(sessions.id, found.id))
        setCookie(reply, token)
      }
      return { id: found.id, user: found.user }
    },

    /** A new session always has a new token, so that a planted one is worth nothing; the old one ends. */
    async begin({ userId, passwordHash, orElse }: Proven, request: FastifyRequest, reply: FastifyReply) {
      const token = randomBytes(32).toString('base64url')
      const device = { userAgent: (request.headers['user-agent'] ?? '').slice(0, 300), ip: request.ip }
      await end(request)
      await db.transaction(async (tx) => {
        // Held until the session is there: a reset comes before it and is seen, or after it and ends it.
        const [unchanged] = await tx
          .select({ id: users.id })
          .from(users)
          .where(
            and(
              eq(users.id, userId),
              sql`${users.passwordHash} is not distinct from ${passwordHash}`,
              isNull(users.deletedAt),
            ),
          )
          .for('share')
        if (!unchanged) throw orElse()
        await tx.insert(sessions).values({
          tokenHash: hashToken(token),
          userId,
          createdAt: now(),
          lastUsedAt: now(),
          expiresAt: expiry(),
          ...device,
        })
        await meet(tx, userId, device)
      })
      setCookie(reply, token)
    },

    end,

    /** Where this user is logged in, the latest first. */
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

    async endOne(userId: string, id: string) {
      const ended = await db
        .delete(sessions)
        .where(and(eq(sessions.id, id), eq(sessions.userId, userId)))
        .returning({ id: sessions.id })
      if (ended.length === 0) throw notFound('Device')
    },

    async purge() {
      await db.delete(sessions).where(lt(sessions.expiresAt, now()))
    },

    /** After a password change or a deletion, or by "log out everywhere". */
    async endAll(userId: string, tx: Transaction | Database = db) {
      await tx.delete(sessions).where(eq(sessions.userId, userId))
    },
  }
}
