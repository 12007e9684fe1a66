import { and, desc, getTableColumns, like, type SQL, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../../database/connect.ts'
import { containing, decodeCursor, pageOf } from '../../database/cursor.ts'
import { auditLog } from '../../database/schema.ts'

/** Who acts, and from where. */
export type Doer = { actor: { id: string; email: string }; ip: string }

export const doer = ({ user, request }: { user: Doer['actor']; request: { ip: string } }): Doer => ({
  actor: { id: user.id, email: user.email },
  ip: request.ip,
})

export type AuditAction = Doer & {
  /** What was done, like `purchase.cancel`. */
  action: string
  /** To what: an e-mail, a ticker, an id. */
  subject: string
  detail?: Record<string, unknown>
}

const { actorId: _, searchText: __, ...entry } = getTableColumns(auditLog)

export type Audit = ReturnType<typeof createAudit>

/** Who among the admins did what, when, to what, and from where. Written with the change, never altered. */
export function createAudit({ db, now }: { db: Database; now: () => Date }) {
  return {
    async record(tx: Transaction | Database, { actor, action, subject, detail, ip }: AuditAction) {
      await tx.insert(auditLog).values({
        at: now(),
        actorId: actor.id,
        actorEmail: actor.email,
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
        .select(entry)
        .from(auditLog)
        .where(and(...conditions))
        .orderBy(desc(auditLog.at), desc(auditLog.id))
        .limit(limit + 1)
      return pageOf(rows, limit, ({ at, id }) => ({ at, id: String(id) }))
    },
  }
}
