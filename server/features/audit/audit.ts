import { and, desc, like, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../actor.ts'
import type { Database, Transaction } from '../../database/connect.ts'
import { containing, decodeCursor, pageOf } from '../../database/cursor.ts'
import { auditLog } from '../../database/schema.ts'

export type AuditAction = {
  /** What was done, such as `purchase.cancel`. */
  action: string
  /** To what: an email, a ticker, an id. */
  subject: string
  detail?: Record<string, unknown>
}

const shown = {
  id: auditLog.id,
  at: auditLog.at,
  actorEmail: auditLog.actorEmail,
  action: auditLog.action,
  subject: auditLog.subject,
  detail: auditLog.detail,
  ip: auditLog.ip,
}

export type Audit = ReturnType<typeof createAudit>

/** Which admin did what, when, to what, and from where. Written along with the change, never altered. */
export function createAudit({ db, now }: { db: Database; now: () => Date }) {
  return {
    async record(tx: Transaction | Database, { user, ip }: Actor, { action, subject, detail }: AuditAction) {
      await tx.insert(auditLog).values({
        at: now(),
        actorId: user.id,
        actorEmail: user.email,
        action,
        subject,
        detail: detail ?? null,
        ip,
      })
    },

    async list({ q, cursor, limit }: { q?: string | undefined; cursor?: string | undefined; limit: number }) {
      const after = decodeCursor(cursor, String.raw`\d{1,15}`)
      const conditions: SQL[] = []
      if (after) conditions.push(sql`(${auditLog.at}, ${auditLog.id}) < (${after.at}, ${Number(after.id)})`)
      if (q) conditions.push(like(auditLog.searchText, containing(q)))
      const rows = await db
        .select(shown)
        .from(auditLog)
        .where(and(...conditions))
        .orderBy(desc(auditLog.at), desc(auditLog.id))
        .limit(limit + 1)
      return pageOf(rows, limit, ({ at, id }) => ({ at, id: String(id) }))
    },
  }
}
