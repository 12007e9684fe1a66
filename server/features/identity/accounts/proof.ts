import { and, eq, gt, isNotNull, isNull, lt, ne, or, sql } from 'drizzle-orm'
import { dayMs } from '#contract/dates.ts'
import { retention } from '#contract/retention.ts'
import type { Transaction } from '#server/database/connect.ts'
import { hasRow } from '#server/database/has-row.ts'
import { access, emailChanges, knownDevices, purchases, users } from '#server/database/schema.ts'
import { removeFactors } from '../factors/factors.ts'
import { endSessions, forgetDevices } from '../sessions/sessions.ts'

/** Resets everything that was set before the address was proven. Purchases stay, with their TradingView usernames. */
export async function resetUnprovenAccount(tx: Transaction, userId: string, at: Date) {
  const hasAccessForPurchase = hasRow(
    access,
    eq(access.userId, userId),
    isNotNull(access.reason),
    ne(access.state, 'none'),
  )
  const hasLoggedIn = hasRow(knownDevices, eq(knownDevices.userId, userId))
  await tx
    .update(users)
    .set({
      // In an account that nobody has logged in to, the name was entered by the seller.
      name: sql`case when ${hasLoggedIn} then '' else ${users.name} end`,
      tradingViewUsername: sql`case when ${hasAccessForPurchase} then ${users.tradingViewUsername} end`,
      verifiedAt: null,
    })
    .where(eq(users.id, userId))
  await dropPendingChange(tx, userId)
  await removeFactors(tx, userId)
  await endCredentials(tx, userId, at)
}

/** Removes the password, sessions and known devices, and sets `handedOverAt`. Second factors stay. */
export async function endCredentials(tx: Transaction, userId: string, at: Date) {
  await tx.update(users).set({ passwordHash: null, handedOverAt: at }).where(eq(users.id, userId))
  await endSessions(tx, userId)
  await forgetDevices(tx, userId)
}

type AddressProof = {
  at: Date
  /** True if the browser that opened the link is logged in to this account. */
  isInOwnSession: boolean
}

/** Locks the user. Outside the account's own session, resets everything set before. False if the account is missing or deleted. */
export async function proveAddress(tx: Transaction, userId: string, { at, isInOwnSession }: AddressProof) {
  const [user] = await tx
    .select({ verifiedAt: users.verifiedAt })
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.deletedAt)))
    .for('update')
  if (!user) return false
  if (!user.verifiedAt && !isInOwnSession) await resetUnprovenAccount(tx, userId, at)
  // Keeps the first time, because "my data" shows emails sent since then.
  if (!user.verifiedAt) await tx.update(users).set({ verifiedAt: at }).where(eq(users.id, userId))
  return true
}

/** For 3 days after a change of address, the old address can undo it. */
export const undoWindowMs = retention.emailChanges.days * dayMs

/** Drops a requested change of address, because its requester may no longer own the account. */
export async function dropPendingChange(tx: Transaction, userId: string) {
  await tx.delete(emailChanges).where(and(eq(emailChanges.userId, userId), isNull(emailChanges.confirmedAt)))
}

/** Deletes earlier changes, so that no former mailbox can undo them. */
export async function deleteEmailChanges(tx: Transaction, userId: string) {
  await tx.delete(emailChanges).where(eq(emailChanges.userId, userId))
}

/**
 * True while a buyer or staff member can undo a change from this address, if they had proven it. Without a proof,
 * anyone could have typed the address.
 */
export async function isReservedForUndo(
  tx: Transaction,
  email: string,
  now: Date,
  exceptUserId?: string,
): Promise<boolean> {
  const [reserved] = await tx
    .select({ id: emailChanges.id })
    .from(emailChanges)
    .innerJoin(users, eq(users.id, emailChanges.userId))
    .where(
      and(
        eq(emailChanges.oldEmail, email),
        exceptUserId ? ne(emailChanges.userId, exceptUserId) : undefined,
        gt(emailChanges.confirmedAt, new Date(now.getTime() - undoWindowMs)),
        lt(users.verifiedAt, emailChanges.confirmedAt),
        or(users.isAdmin, isNotNull(users.role), hasRow(purchases, eq(purchases.userId, users.id))),
      ),
    )
    .limit(1)
  return reserved !== undefined
}
