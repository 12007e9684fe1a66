import { and, eq, isNotNull, isNull, ne, sql } from 'drizzle-orm'
import type { Transaction } from '#server/database/connect.ts'
import { access, users } from '#server/database/schema.ts'
import { removeFactors } from '../factors/factors.ts'
import { endSessions, forgetDevices } from '../sessions/sessions.ts'
import { dropPendingChange } from './changed-addresses.ts'

/**
 * Anyone can type anyone's address. What was set before the address was proven is not its owner's: sessions, password,
 * factors, known devices, name. Purchases stay, and so does the TradingView name that was given for one.
 */
export async function startOver(tx: Transaction, userId: string, at: Date) {
  const isGivenForPurchase = tx
    .select({ one: sql`1` })
    .from(access)
    .where(and(eq(access.userId, userId), isNotNull(access.reason), ne(access.state, 'none')))
  await tx
    .update(users)
    .set({
      passwordHash: null,
      name: '',
      tradingViewUsername: sql`case when exists (${isGivenForPurchase}) then ${users.tradingViewUsername} end`,
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

/**
 * An emailed link was used, or an admin vouches for the address: from now on the account is its owner's. Opened by
 * someone who is logged in to it, that is all; opened anywhere else, whatever was set before the first proof goes.
 */
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
