import { sql } from 'drizzle-orm'
import { bigint, index, jsonb, type PgColumn, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { momentOfInsert } from './columns.ts'

export const auditWords = (t: Record<'action' | 'subject' | 'ip', PgColumn>) =>
  sql`lower(${t.action} || ' ' || ${t.subject} || ' ' || ${t.ip})`

/** People are named by id only. Append-only by triggers.sql. */
export const auditLog = pgTable(
  'audit_log',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: momentOfInsert(),
    /** Null for a command on the server itself. */
    actorId: uuid(),
    action: text().notNull(),
    /** Changed object, such as a ticker or an id; empty if it is a person. */
    subject: text().notNull(),
    aboutId: uuid(),
    detail: jsonb().$type<Record<string, unknown>>(),
    ip: text().notNull().default(''),
  },
  (t) => [
    index('audit_log_newest').on(t.at, t.id),
    index('audit_log_actor').on(t.actorId),
    index('audit_log_about').on(t.aboutId),
    index('audit_log_words').using('gin', sql`${auditWords(t)} gin_trgm_ops`),
  ],
)
