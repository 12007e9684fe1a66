import { and, eq, isNull } from 'drizzle-orm'
import { notFound } from '../errors.ts'
import type { Database, Transaction } from './connect.ts'
import { users } from './schema.ts'

const present = (tx: Database | Transaction, userId: string) =>
  tx
    .select()
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.deletedAt)))

/** Finds the user with this id, deleted or not. */
export async function personOf(tx: Database | Transaction, userId: string) {
  const [person] = await tx.select().from(users).where(eq(users.id, userId))
  if (!person) throw new Error(`There is no user ${userId}`)
  return person
}

/** Throws 404 for a deleted account, too. */
export async function findUser(tx: Database | Transaction, userId: string) {
  const [user] = await present(tx, userId)
  if (!user) throw notFound('User')
  return user
}

/** The first lock of every change: user, then purchase, then access. Rows may still refer to the user meanwhile. */
export const lockPerson = (tx: Transaction, userId: string) =>
  tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')

export async function lockUser(tx: Transaction, userId: string) {
  const [user] = await present(tx, userId).for('update')
  if (!user) throw notFound('User')
  return user
}
