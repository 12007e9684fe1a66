import { and, eq, ne } from 'drizzle-orm'
import type { Database, Transaction } from '#server/database/connect.ts'
import { passwordTokens, purchases, users } from '#server/database/schema.ts'
import { conflict } from '#server/errors.ts'
import { type Mails, sellersAddress } from '#server/mails/mails.ts'
import { forgetChanges, isReserved } from './changed-addresses.ts'
import { startOver } from './proof.ts'

type Dependencies = {
  db: Database
  now: () => Date
  mails: Mails
  accountChanged(tx: Transaction, userId: string): Promise<void>
  endOpenLinks(tx: Transaction, userId: string): Promise<void>
}

/** Replaces an address that went back to the account it was taken from. */
const givenBackEmail = (userId: string) => `given-back-${userId}@deleted.invalid`

export const takenByNow = () =>
  conflict('email-taken', 'This address belongs to another account by now. Please email us.')

/**
 * Nothing blocks an undo: an account that has got the address meanwhile loses it, and whatever opens it. What was bought
 * with it stays there; the mailbox's owner asks the seller, who gives that account another address.
 */
export function createGiveBack({ now, mails, accountChanged, endOpenLinks }: Dependencies) {
  return async (tx: Transaction, email: string, userId: string) => {
    const [other] = await tx
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.email, email), ne(users.id, userId)))
      .for('update')
    if (!other) return
    if (!(await isReserved(tx, email, now()))) throw takenByNow()
    await startOver(tx, other.id, now())
    await tx
      .update(users)
      .set({ email: givenBackEmail(other.id) })
      .where(eq(users.id, other.id))
    await tx.delete(passwordTokens).where(eq(passwordTokens.userId, other.id))
    await forgetChanges(tx, other.id)
    await endOpenLinks(tx, other.id)
    await accountChanged(tx, other.id)
    if ((await tx.$count(purchases, eq(purchases.userId, other.id))) > 0)
      await mails.send(tx, sellersAddress, 'addressGivenBack', { email, customerId: other.id })
  }
}
