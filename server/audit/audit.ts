import { aliasedTable, and, desc, eq, like, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import type { AuditedAction } from '#contract/admin/activity.ts'
import { retention } from '#contract/retention.ts'
import type { Actor } from '../actor.ts'
import type { Database, Transaction } from '../database/connect.ts'
import { containing, decodeCursor, type HistoryPart, pageOf } from '../database/cursor.ts'
import { auditLog, auditWords, users } from '../database/schema.ts'
import { matchesUser } from '../database/text-search.ts'

export type AuditAction = {
  action: AuditedAction
  /** Only the id, so that no name outlives the account. */
  aboutId?: string
  /** A ticker or an id, for example; never a name or an address. */
  subject?: string
  detail?: Record<string, unknown>
}

export const commandLine = { user: null, ip: '' }

/** For commands, which have a plain connection and no actor. */
export async function recordCommand(
  client: { query(text: string, values: unknown[]): Promise<unknown> },
  action: AuditedAction,
  detail?: Record<string, unknown>,
) {
  await client.query(`insert into audit_log (action, subject, detail) values ($1, '', $2)`, [
    action,
    detail ? JSON.stringify(detail) : null,
  ])
}

/** Must match triggers.sql, which refuses to delete younger entries. */
const retentionYears = retention.audit.years

const actor = aliasedTable(users, 'actor')
const about = aliasedTable(users, 'about')

export type Audit = ReturnType<typeof createAudit>

export function createAudit({ db, now }: { db: Database; now: () => Date }) {
  return {
    async record(
      tx: Transaction | Database,
      { user, ip }: Pick<Actor, 'ip'> & { user: Pick<Actor['user'], 'id'> | null },
      { action, subject = '', aboutId, detail }: AuditAction,
    ) {
      await tx
        .insert(auditLog)
        .values({
          at: now(),
          actorId: user?.id ?? null,
          action,
          subject,
          aboutId: aboutId ?? null,
          detail: detail ?? null,
          ip,
        })
    },

    async list({ q, cursor, limit }: { q?: string | undefined; cursor?: string | undefined; limit: number }) {
      const after = decodeCursor(cursor, String.raw`\d{1,15}`)
      const conditions: (SQL | undefined)[] = []
      if (after) conditions.push(sql`(${auditLog.at}, ${auditLog.id}) < (${after.at}, ${Number(after.id)})`)
      if (q) conditions.push(or(like(auditWords(auditLog), containing(q)), byOrAbout(peopleLike(q))))
      const rows = await db
        .select({
          id: auditLog.id,
          at: auditLog.at,
          actorEmail: sql<string>`coalesce(${actor.email}, 'command line')`,
          action: auditLog.action,
          subject: sql<string>`coalesce(nullif(${auditLog.subject}, ''), ${about.email}, '')`,
          detail: auditLog.detail,
          ip: auditLog.ip,
        })
        .from(auditLog)
        .leftJoin(actor, eq(actor.id, auditLog.actorId))
        .leftJoin(about, eq(about.id, auditLog.aboutId))
        .where(and(...conditions))
        .orderBy(desc(auditLog.at), desc(auditLog.id))
        .limit(limit + 1)
      return pageOf(rows, limit, ({ at, id }) => ({ at, id: String(id) }))
    },

    historyOf: (userId: string, { before, limit }: HistoryPart) =>
      db
        .select({
          id: auditLog.id,
          at: auditLog.at,
          action: auditLog.action,
          detail: auditLog.detail,
          by: sql<string>`coalesce(${actor.email}, 'command line')`,
        })
        .from(auditLog)
        .leftJoin(actor, eq(actor.id, auditLog.actorId))
        .where(and(eq(auditLog.aboutId, userId), lte(auditLog.at, before)))
        .orderBy(desc(auditLog.at), desc(auditLog.id))
        .limit(limit),

    async forgetOld() {
      const cutoff = new Date(now())
      cutoff.setFullYear(cutoff.getFullYear() - retentionYears)
      // Compares with the database's clock, too, because the trigger does.
      await db
        .delete(auditLog)
        .where(and(lt(auditLog.at, cutoff), sql`${auditLog.at} < now() - make_interval(years => ${retentionYears})`))
    },

    /** Actions of admins about this person are listed without the admins' names. */
    async dataOf(userId: string) {
      const isOwn = sql<boolean>`${auditLog.actorId} is not distinct from ${userId}`
      const actions = await db
        .select({
          at: auditLog.at,
          action: auditLog.action,
          by: sql<'you' | 'the shop'>`case when ${isOwn} then 'you' else 'the shop' end`,
          ip: sql<string | null>`case when ${isOwn} then ${auditLog.ip} end`,
          isAboutYou: sql<boolean>`${auditLog.aboutId} is not distinct from ${userId}`,
        })
        .from(auditLog)
        .where(byOrAbout(sql`array[${userId}::uuid]`))
        .orderBy(desc(auditLog.at))
      return { adminActions: actions }
    },
  }
}

const byOrAbout = (userIds: SQL) =>
  or(sql`${auditLog.actorId} = any(${userIds})`, sql`${auditLog.aboutId} = any(${userIds})`)

/** An array, because PostgreSQL could not use an index for subqueries joined by OR. */
const peopleLike = (q: string) => sql`array(select ${users.id} from ${users} where ${matchesUser(q)})`
