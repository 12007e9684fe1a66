import { sql } from 'drizzle-orm'
import { bigint, index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt } from './columns.ts'

/** Which admin did what, when, to what, and from where. People are named by id only; triggers.sql refuses changes. */
export const auditLog = pgTable(
  'audit_log',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: createdAt(),
    /** Null for a command on the server itself. */
    actorId: uuid(),
    /** No longer used, always empty; a later release will drop it. */
    actorEmail: text().notNull().default(''),
    action: text().notNull(),
    /** To what: a ticker, an id; empty if it was done to a person. */
    subject: text().notNull(),
    /** Whom it concerns. */
    aboutId: uuid(),
    detail: jsonb().$type<Record<string, unknown>>(),
    ip: text().notNull().default(''),
    searchText: text()
      .notNull()
      .generatedAlwaysAs(sql`lower(actor_email || ' ' || action || ' ' || subject || ' ' || ip)`),
  },
  (t) => [
    index('audit_log_newest').on(t.at, t.id),
    index('audit_log_actor').on(t.actorId).concurrently(),
    index('audit_log_about').on(t.aboutId).concurrently(),
    index('audit_log_search').using('gin', sql`${t.searchText} gin_trgm_ops`),
  ],
)
