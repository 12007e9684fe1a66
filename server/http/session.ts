import { createHash, randomBytes } from 'node:crypto'
import { and, eq, gt, ne, sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database, Transaction } from '../database/connect.ts'
import { sessions, users } from '../database/schema.ts'

/** Who is logged in. The cookie holds a random token, the database only its hash. */
export type SessionUser = { id: string; name: string; email: string; isAdmin: boolean; createdAt: Date }
export type Session = { id: string; user: SessionUser }

const lifetimeDays = 30
const day = 86_400_000

export const hashToken = (token: string) => createHash('sha256').update(token).digest('base64url')

export type Sessions = ReturnType<typeof createSessions>

export function createSessions({ db, now, secure }: { db: Database; now: () => Date; secure: boolean }) {
  const cookieName = secure ? '__Host-session' : 'session'

  const find = db
    .select({
      id: sessions.id,
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
      and(eq(sessions.tokenHash, sql.placeholder('hash')), gt(sessions.expiresAt, sql.placeholder('now'))),
    )
    .prepare('find_session')

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

  return {
    /** One statement for the session and its user; none for a visitor without a cookie. */
    async read(request: FastifyRequest, reply: FastifyReply): Promise<Session | null> {
      const token = request.cookies[cookieName]
      if (!token) return null
      const [found] = await find.execute({ hash: hashToken(token), now: now() })
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
    async begin(userId: string, request: FastifyRequest, reply: FastifyReply) {
      const token = randomBytes(32).toString('base64url')
      await end(request)
      await db.insert(sessions).values({
        tokenHash: hashToken(token),
        userId,
        createdAt: now(),
        lastUsedAt: now(),
        expiresAt: expiry(),
        userAgent: (request.headers['user-agent'] ?? '').slice(0, 300),
        ip: request.ip,
      })
      setCookie(reply, token)
    },

    end,

    /** After a password change or a deletion, or by "log out everywhere". */
    async endAll(userId: string, { except, tx = db }: { except?: string; tx?: Transaction | Database } = {}) {
      await tx
        .delete(sessions)
        .where(and(eq(sessions.userId, userId), except ? ne(sessions.id, except) : undefined))
    },
  }
}
