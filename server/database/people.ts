import { and, eq, isNull } from 'drizzle-orm'
import { notFound } from '../errors.ts'
import type { Database, Transaction } from './connect.ts'
import { users } from './schema.ts'

const selectPresentUser = (tx: Database | Transaction, userId: string) =>
  tx
    .select()
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.deletedAt)))

/** Includes deleted accounts, like `lockPerson`; `findUser` and `lockUser` refuse them. */
export async function personOf(tx: Database | Transaction, userId: string) {
  const [person] = await tx.select().from(users).where(eq(users.id, userId))
  if (!person) throw new Error(`There is no user ${userId}`)
  return person
}

/** Throws 404 also for a deleted account. */
export async function findUser(tx: Database | Transaction, userId: string) {
  const [user] = await selectPresentUser(tx, userId)
  if (!user) throw notFound('User')
  return user
}

/** Lock the person before rows of purchases or access. Others can still insert rows that refer to the person. */
export const lockPerson = (tx: Transaction, userId: string) =>
  tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')

/** Stronger than `lockPerson`: also blocks inserts of rows that refer to the user. Throws 404 also for a deleted account. */
export async function lockUser(tx: Transaction, userId: string) {
  const [user] = await selectPresentUser(tx, userId).for('update')
  if (!user) throw notFound('User')
  return user
}
