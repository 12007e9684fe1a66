import { sql } from 'drizzle-orm'
import { bigint, index, jsonb, type PgColumn, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt } from './columns.ts'

/** What a search looks through, besides people. */
export const auditWords = (t: Record<'action' | 'subject' | 'ip', PgColumn>) =>
  sql`lower(${t.action} || ' ' || ${t.subject} || ' ' || ${t.ip})`

/** Which admin did what, when, to what, and from where. People are named by id only; triggers.sql refuses changes. */
export const auditLog = pgTable(
  'audit_log',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: createdAt(),
    /** Null for a command on the server itself. */
    actorId: uuid(),
    action: text().notNull(),
    /** To what: a ticker, an id; empty if it was done to a person. */
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
