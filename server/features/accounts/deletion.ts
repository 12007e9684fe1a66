import { and, asc, eq, isNull, ne } from 'drizzle-orm'
import type { Database, Transaction } from '../../database/connect.ts'
import {
  accessRequests,
  checkouts,
  knownDevices,
  passwordTokens,
  sessions,
  users,
} from '../../database/schema.ts'
import { conflict, notFound, Refusal } from '../../errors.ts'
import type { Attempts } from '../../security/attempts.ts'
import type { Passwords } from '../../security/passwords.ts'

type Dependencies = {
  db: Database
  now: () => Date
  passwords: Passwords
  attempts: Attempts
  /** Cancels at Stripe whatever this user still pays for. */
  endSubscriptionsOf(userId: string): Promise<void>
}

/** Deleting a person keeps the books: purchases stay, everything that names the person goes. */
export function createDeletion({ db, now, passwords, attempts, endSubscriptionsOf }: Dependencies) {
  async function remove(userId: string, alongside: (tx: Transaction, email: string) => Promise<void>) {
    await db.transaction((tx) => assertDeletable(tx, userId))
    // Stripe first: a person who is gone here must not go on paying there.
    await endSubscriptionsOf(userId)
    await db.transaction(async (tx) => {
      const email = await assertDeletable(tx, userId)
      await alongside(tx, email)
      await anonymise(tx, userId)
    })
  }

  async function anonymise(tx: Transaction, userId: string) {
    const nobody = `deleted-${userId}@deleted.invalid`
    await tx
      .update(users)
      .set({
        email: nobody,
        name: 'Deleted user',
        passwordHash: null,
        isAdmin: false,
        tradingViewUsername: null,
        deletedAt: now(),
      })
      .where(eq(users.id, userId))
    await tx
      .update(accessRequests)
      .set({ exchangeName: '', additionalInfo: null, sealedKeys: null })
      .where(eq(accessRequests.userId, userId))
    // Granted access must still be revoked on TradingView, and there the username is all there is.
    await tx
      .update(accessRequests)
      .set({ tradingViewUsername: '' })
      .where(and(eq(accessRequests.userId, userId), ne(accessRequests.status, 'granted')))
    await tx.update(checkouts).set({ email: nobody }).where(eq(checkouts.userId, userId))
    for (const belongings of [sessions, knownDevices, passwordTokens])
      await tx.delete(belongings).where(eq(belongings.userId, userId))
  }

  return {
    async byAdmin(
      admin: { id: string },
      userId: string,
      alongside: (tx: Transaction, email: string) => Promise<void>,
    ) {
      if (admin.id === userId) throw conflict('You cannot delete yourself')
      await remove(userId, alongside)
    },

    async byOneself({ id: userId, email }: { id: string; email: string }, password: string) {
      await attempts.count('delete', email, { max: 10, minutes: 15 })
      const [user] = await db
        .select({ passwordHash: users.passwordHash })
        .from(users)
        .where(eq(users.id, userId))
      if (user && !user.passwordHash)
        throw new Refusal(403, 'Please choose a password first: log out and use "Forgot password?".')
      if (!(await passwords.matches(password, user?.passwordHash)))
        throw new Refusal(403, 'Wrong password', { fields: { password: 'Wrong password' } })
      await remove(userId, async () => {})
    },
  }
}

/** The locks on all admins make two of them who delete each other wait in line: one stays. */
async function assertDeletable(tx: Transaction, userId: string): Promise<string> {
  const admins = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.isAdmin, true), isNull(users.deletedAt)))
    .orderBy(asc(users.id))
    .for('update')
  const [user] = await tx
    .select({ email: users.email })
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.deletedAt)))
    .for('update')
  if (!user) throw notFound('User')
  if (admins.length === 1 && admins[0]?.id === userId) throw conflict('The last admin cannot be deleted')
  return user.email
}
