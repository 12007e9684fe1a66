import { and, eq, sql } from 'drizzle-orm'
import type { GrantState } from '#contract/statuses.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { tvEvents, tvGrants, tvScripts, users } from '#server/database/schema.ts'
import { recordLocked, recordUnlocked } from '#server/features/access/access-requests/access-requests.ts'
import type { Mails } from '#server/mails/mails.ts'
import { isWantedNow, type Observed } from './decide.ts'
import { type GrantRow, quiet, store, type Work, wishOf } from './grants.ts'

export type Seen = Observed & { rowId: string | null }

type Dependencies = { db: Database; now: () => Date; mails: Mails; unlocked(seconds: number): void }

export type Recording = ReturnType<typeof createRecording>

/** Stores what was seen, and tells the buyer with it. */
export function createRecording({ db, now, mails, unlocked }: Dependencies) {
  /** Once every script of the product is open. A grant that was undone is granted again, without a second clock. */
  async function tellUnlocked(tx: Transaction, { grant, entitlement }: Work) {
    if (!entitlement || !grant.userId) return
    const isOpen = and(
      eq(tvGrants.scriptId, tvScripts.id),
      eq(tvGrants.usernameKey, grant.usernameKey),
      eq(tvGrants.isPresent, true),
    )
    const closed = await tx
      .select({ id: tvScripts.id })
      .from(tvScripts)
      .leftJoin(tvGrants, isOpen)
      .where(
        and(
          eq(tvScripts.productId, entitlement.productId),
          sql`${tvScripts.problem} is null`,
          sql`${tvGrants.id} is null`,
        ),
      )
    if (closed.length > 0) return
    if (entitlement.wantedSince && !grant.firstPresentAt)
      unlocked((now().getTime() - entitlement.wantedSince.getTime()) / 1000)
    await recordUnlocked(tx, { mails, at: now() }, grant.userId, grant.usernameKey)
  }

  /** Once every script of the product is closed. */
  async function tellLocked(tx: Transaction, { grant: { userId, usernameKey }, script }: Work) {
    if (!userId) return
    const open = await tx
      .select({ id: tvGrants.id })
      .from(tvGrants)
      .innerJoin(tvScripts, eq(tvScripts.id, tvGrants.scriptId))
      .where(
        and(
          eq(tvScripts.productId, script.productId),
          eq(tvGrants.usernameKey, usernameKey),
          eq(tvGrants.isPresent, true),
        ),
      )
    if (open.length > 0) return
    await recordLocked(tx, { mails, at: now() }, userId, usernameKey)
    // A deleted person's name was kept only so it could be removed.
    const [person] = await tx.select({ deletedAt: users.deletedAt }).from(users).where(eq(users.id, userId))
    if (!person?.deletedAt) return
    await tx.delete(tvGrants).where(and(eq(tvGrants.userId, userId), eq(tvGrants.usernameKey, usernameKey)))
    await tx.delete(tvEvents).where(eq(tvEvents.usernameKey, usernameKey))
  }

  /** False if the wish has changed in the meantime. */
  return async function record(work: Work, seen: Seen, isDone: boolean): Promise<boolean> {
    const { grant } = work
    const isWanted = isWantedNow(wishOf(grant), now())
    return db.transaction(async (tx) => {
      const stored = await store(tx, grant, {
        ...quiet,
        isPresent: seen.isPresent,
        presentUntil: seen.until,
        // The number of a row that is gone may turn up under another name.
        rowId: seen.rowId ?? grant.rowId,
        observedAt: now(),
        state: stateOf(grant, seen, isWanted, isDone),
        firstPresentAt: seen.isPresent ? (grant.firstPresentAt ?? now()) : null,
      })
      if (!stored) return false
      if (seen.isPresent && isWanted) await tellUnlocked(tx, work)
      if (!seen.isPresent && !isWanted) await tellLocked(tx, work)
      return true
    })
  }
}

function stateOf(grant: GrantRow, seen: Observed, isWanted: boolean, isDone: boolean): GrantState {
  if (isWanted) return seen.isPresent && isDone ? 'unlocked' : 'unlocking'
  if (!seen.isPresent) return 'locked'
  return grant.isOurs ? 'locking' : 'foreign'
}
