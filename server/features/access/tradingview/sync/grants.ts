import { and, eq, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#server/database/connect.ts'
import { tvGrants, type tvScripts } from '#server/database/schema.ts'
import type { EntitlementRow } from '#server/features/access/entitlements/entitlements.ts'

export type GrantRow = typeof tvGrants.$inferSelect
export type ScriptRow = typeof tvScripts.$inferSelect
/** One name on one script; without an entitlement, it is an old name or a person who has left. */
export type Work = { grant: GrantRow; script: ScriptRow; entitlement: EntitlementRow | undefined }

/** No failure is left to talk about. */
export const quiet = { tries: 0, failingSince: null, nextTryAt: null, error: null }

export const oneMoreVersion = { version: sql`${tvGrants.version} + 1` }

/** Undefined if the wish has changed in the meantime. */
export async function store(
  tx: Database | Transaction,
  { id, version }: GrantRow,
  changes: Partial<GrantRow>,
): Promise<GrantRow | undefined> {
  const [stored] = await tx
    .update(tvGrants)
    .set({ ...changes, ...oneMoreVersion })
    .where(and(eq(tvGrants.id, id), eq(tvGrants.version, version)))
    .returning()
  return stored
}

export const wishOf = ({ isWanted, wantedUntil }: GrantRow) => ({ isWanted, until: wantedUntil })
