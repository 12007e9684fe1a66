import { and, eq, gt, isNotNull, isNull, ne, or, sql } from 'drizzle-orm'
import { retention } from '#contract/retention.ts'
import type { Transaction } from '#server/database/connect.ts'
import { hasRow } from '#server/database/has-row.ts'
import { access, emailChanges, purchases, users } from '#server/database/schema.ts'
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
  await tx
    .update(users)
    .set({
      passwordHash: null,
      name: '',
      tradingViewUsername: sql`case when ${isGivenForPurchase} then ${users.tradingViewUsername} end`,
      verifiedAt: null,
      handedOverAt: at,
    })
    .where(eq(users.id, userId))
  await dropPendingChange(tx, userId)
  await endSessions(tx, userId)
  await removeFactors(tx, userId)
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

/** Whether its former account may still take this address back. Only for accounts worth taking, or anyone could block one. */
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
        or(users.isAdmin, isNotNull(users.role), hasRow(purchases, eq(purchases.userId, users.id))),
      ),
    )
    .limit(1)
  return reserved !== undefined
}
