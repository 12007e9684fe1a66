import { and, eq, isNull } from 'drizzle-orm'
import { notFound } from '../errors.ts'
import type { Database, Transaction } from './connect.ts'
import { users } from './schema.ts'

const present = (tx: Database | Transaction, userId: string) =>
  tx
    .select()
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.deletedAt)))

/** Someone with an account: one who has left is not found. */
export async function findUser(tx: Database | Transaction, userId: string) {
  const [user] = await present(tx, userId)
  if (!user) throw notFound('User')
  return user
}

export async function lockUser(tx: Transaction, userId: string) {
  const [user] = await present(tx, userId).for('update')
  if (!user) throw notFound('User')
  return user
}
