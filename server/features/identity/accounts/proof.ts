import { and, eq, gt, isNotNull, isNull, lt, ne, or, sql } from 'drizzle-orm'
import { retention } from '#contract/retention.ts'
import type { Transaction } from '#server/database/connect.ts'
import { hasRow } from '#server/database/has-row.ts'
import { access, emailChanges, knownDevices, purchases, users } from '#server/database/schema.ts'
import { removeFactors } from '../factors/factors.ts'
import { endSessions, forgetDevices } from '../sessions/sessions.ts'

/** What was set before the address was proven is not its owner's. Purchases stay, and the TradingView name given for one. */
export async function startOver(tx: Transaction, userId: string, at: Date) {
  const isGivenForPurchase = hasRow(
    access,
    eq(access.userId, userId),
    isNotNull(access.reason),
    ne(access.state, 'none'),
  )
  const hasLoggedIn = hasRow(knownDevices, eq(knownDevices.userId, userId))
  await tx
    .update(users)
    .set({
      // A name that the seller typed stays: nobody has been in the account yet.
      name: sql`case when ${hasLoggedIn} then '' else ${users.name} end`,
      tradingViewUsername: sql`case when ${isGivenForPurchase} then ${users.tradingViewUsername} end`,
      verifiedAt: null,
    })
    .where(eq(users.id, userId))
  await dropPendingChange(tx, userId)
  await removeFactors(tx, userId)
  await endCredentials(tx, userId, at)
}

/** Ends password, sessions and known devices: only an emailed link opens the account now. Second factors stay. */
export async function endCredentials(tx: Transaction, userId: string, at: Date) {
  await tx.update(users).set({ passwordHash: null, handedOverAt: at }).where(eq(users.id, userId))
  await endSessions(tx, userId)
  await forgetDevices(tx, userId)
}

type Proof = {
  at: Date
  /** Whether the link was opened in a browser that is logged in to this very account. */
  inOwnSession: boolean
}

/** The address is proven. Unless that happened in the account's own session, whatever was set before goes. */
export async function prove(tx: Transaction, userId: string, { at, inOwnSession }: Proof) {
  const [user] = await tx
    .select({ verifiedAt: users.verifiedAt })
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.deletedAt)))
    .for('update')
  if (!user) return false
  if (!user.verifiedAt && !inOwnSession) await startOver(tx, userId, at)
  // The first proof counts: a later one must not hide the emails in between from their reader.
  if (!user.verifiedAt) await tx.update(users).set({ verifiedAt: at }).where(eq(users.id, userId))
  return true
}

/** How long the old address can undo a change, in milliseconds. */
export const toUndo = retention.emailChanges.days * 86_400_000

/** The person who asked for another address may no longer have the account: it must not count afterward. */
export async function dropPendingChange(tx: Transaction, userId: string) {
  await tx.delete(emailChanges).where(and(eq(emailChanges.userId, userId), isNull(emailChanges.confirmedAt)))
}

/** Nor may an old mailbox undo one: the account is for the reader of the address it has now. */
export async function forgetChanges(tx: Transaction, userId: string) {
  await tx.delete(emailChanges).where(eq(emailChanges.userId, userId))
}

/**
 * True while the former account may take this address back. Only for accounts worth taking whose owner had proven the
 * address: otherwise anyone could block an address they only typed.
 */
export async function isReserved(tx: Transaction, email: string, now: Date, exceptFor?: string): Promise<boolean> {
  const [reserved] = await tx
    .select({ id: emailChanges.id })
    .from(emailChanges)
    .innerJoin(users, eq(users.id, emailChanges.userId))
    .where(
      and(
        eq(emailChanges.oldEmail, email),
        exceptFor ? ne(emailChanges.userId, exceptFor) : undefined,
        gt(emailChanges.confirmedAt, new Date(now.getTime() - toUndo)),
        lt(users.verifiedAt, emailChanges.confirmedAt),
        or(users.isAdmin, isNotNull(users.role), hasRow(purchases, eq(purchases.userId, users.id))),
      ),
    )
    .limit(1)
  return reserved !== undefined
}
