import { and, desc, eq, gt, isNull, lt, lte, ne, sql } from 'drizzle-orm'
import { deviceName } from '#contract/identity/device-name.ts'
import { retention, retentionStart } from '#contract/retention.ts'
import type { Proof } from '#contract/statuses.ts'
import type { Actor, User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import type { HistoryPart } from '#server/database/cursor.ts'
import { logins, sessions, users } from '#server/database/schema.ts'
import { notFound, type Refusal } from '#server/errors.ts'
import { hashToken, randomToken } from '#server/security/tokens.ts'
import { type DeviceTraits, rememberDevice } from './known-devices.ts'
import { createFindSession, expiryOf, type FindSession, withToken } from './session-tokens.ts'

export { findKnownDevice, forgetDevices } from './known-devices.ts'
export { sessionDays } from './session-tokens.ts'

type SessionDeps = Pick<Context, 'attempts' | 'db' | 'mails' | 'now' | 'securityLog'>

type SessionRow = typeof sessions.$inferSelect
type LoginEntry = Pick<typeof logins.$inferSelect, 'id' | 'at' | 'userAgent' | 'ip'>

/** Sessions. The browser holds a random token, the database only its hash. */
export type Sessions = {
  find: FindSession
  /** Starts a session with a new token, against session fixation, and ends the old one. Returns the token. */
  begin(client: DeviceTraits, authentication: Authentication, oldToken: string | undefined): Promise<string>
  end(token: string): Promise<void>
  devices(userId: string): Promise<SessionRow[]>
  endOne(actor: Actor, id: string): Promise<void>
  endAll(actor: Actor): Promise<void>
  endOthers(actor: Actor): Promise<void>
  forgetExpired(): Promise<void>
  historyOf(userId: string, part: HistoryPart): Promise<LoginEntry[]>
  provenBy(sessionId: string | null): Promise<Proof | undefined>
  /** Records a repeated proof of identity. `provenBy` is set if the proof is stronger than that of the login. */
  recordProof(tx: Transaction | Database, actor: Actor, provenBy?: Proof): Promise<void>
  /** Records that a proof is in use, so that it stays fresh. */
  recordProofUse(sessionId: string, tx?: Transaction): Promise<void>
}

/** Proof of a finished login. `refusalIfChanged` is for a password or an owner that changed before the session starts. */
export type Authentication = {
  userId: string
  passwordHash: string | null
  handedOverAt: Date | null
  provenBy: Proof
  refusalIfChanged: () => Refusal
  /** Uses up the right to log in, in the transaction that creates the session. */
  claim?: (tx: Transaction) => Promise<void>
}

export type LoginResult = { user: User; authentication: Authentication }

export async function endSessions(
  tx: Transaction | Database,
  userId: string,
  { except }: { except?: string | null } = {},
) {
  await tx.delete(sessions).where(and(eq(sessions.userId, userId), except ? ne(sessions.id, except) : undefined))
}

export function createSessions(context: SessionDeps): Sessions {
  const { db, now, mails, attempts, securityLog } = context
  const end = (tx: Transaction | Database, token: string) => tx.delete(sessions).where(withToken(hashToken(token)))

  return {
    find: createFindSession(context),

    async begin(
      { ip, userAgent, device: deviceToken },
      { userId, passwordHash, handedOverAt, provenBy, refusalIfChanged, claim },
      oldToken,
    ) {
      const token = randomToken()
      const client = { userAgent: userAgent.slice(0, 300), ip }
      await db.transaction(async (tx) => {
        // Claims before it locks the user, in the same order as the booking of a payment, against deadlocks.
        await claim?.(tx)
        // Locks the user until the session exists, so that a concurrent reset is seen here or ends the session.
        const [user] = await tx
          .select({ email: users.email, verifiedAt: users.verifiedAt, isAdmin: users.isAdmin, role: users.role })
          .from(users)
          .where(
            and(
              eq(users.id, userId),
              sql`${users.passwordHash} is not distinct from ${passwordHash}`,
              sql`${users.handedOverAt} is not distinct from ${handedOverAt}`,
              isNull(users.deletedAt),
            ),
          )
          .for('share')
        if (!user) {
          securityLog('login failed', { user: { id: userId }, ip }, { reason: 'changed meanwhile' })
          throw refusalIfChanged()
        }
        await tx
          .insert(sessions)
          .values({
            tokenHash: hashToken(token),
            userId,
            createdAt: now(),
            lastUsedAt: now(),
            rotatedAt: now(),
            provenAt: now(),
            provenBy,
            expiresAt: expiryOf({ now: now(), createdAt: now(), user }),
            ...client,
          })
        if (oldToken) await end(tx, oldToken)
        await tx.insert(logins).values({ userId, at: now(), ...client })
        const isNewDevice = await rememberDevice(tx, userId, { ...client, device: deviceToken }, now())
        // Emails only proven addresses, because anyone can sign up with any address.
        if (isNewDevice && user.verifiedAt && (await attempts.mayMail(tx, 'new device', userId)))
          await mails.send(tx, user.email, 'newDevice', { at: now().toISOString(), device: deviceName(userAgent), ip })
      })
      return token
    },

    async end(token) {
      await end(db, token)
    },

    devices: (userId) =>
      db
        .select()
        .from(sessions)
        .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now())))
        .orderBy(desc(sessions.lastUsedAt), desc(sessions.id)),

    async endOne({ user }, id) {
      const ended = await db.delete(sessions).where(and(eq(sessions.id, id), eq(sessions.userId, user.id)))
      if (ended.rowCount === 0) throw notFound('Device')
    },

    endAll: ({ user }) => endSessions(db, user.id),
    endOthers: ({ user, sessionId }) => endSessions(db, user.id, { except: sessionId }),

    async forgetExpired() {
      await db.delete(sessions).where(lt(sessions.expiresAt, now()))
      await db.delete(logins).where(lt(logins.at, retentionStart(now(), retention.logins)))
    },

    historyOf: (userId, { before, limit }) =>
      db
        .select({ id: logins.id, at: logins.at, userAgent: logins.userAgent, ip: logins.ip })
        .from(logins)
        .where(and(eq(logins.userId, userId), lte(logins.at, before)))
        .orderBy(desc(logins.at))
        .limit(limit),

    async provenBy(sessionId) {
      const [session] = await db
        .select({ provenBy: sessions.provenBy })
        .from(sessions)
        .where(eq(sessions.id, sessionId ?? ''))
      return session?.provenBy
    },

    async recordProof(tx, { sessionId }, provenBy) {
      // Without a stronger proof, sets the column to itself.
      await tx
        .update(sessions)
        .set({ provenAt: now(), provenBy: provenBy ?? sql`${sessions.provenBy}` })
        .where(eq(sessions.id, sessionId ?? ''))
    },

    async recordProofUse(sessionId, tx) {
      await (tx ?? db).update(sessions).set({ proofUsedAt: now() }).where(eq(sessions.id, sessionId))
    },
  }
}
