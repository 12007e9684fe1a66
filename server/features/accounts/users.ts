import { and, count, desc, inArray, isNull, like, type SQL, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../../database/connect.ts'
import { containing, decodeCursor, pageOf } from '../../database/cursor.ts'
import { purchases, users } from '../../database/schema.ts'
import { conflict } from '../../errors.ts'
import type { Passwords } from '../../passwords.ts'

type NewUser = { email: string; password: string; name: string; isAdmin: boolean }

/** Users as an admin sees them. */
export function createUsers({ db, now, passwords }: { db: Database; now: () => Date; passwords: Passwords }) {
  /** How many purchases each has, of those on one page only. */
  async function purchasesOf(userIds: string[]) {
    const counts = await db
      .select({
        userId: purchases.userId,
        total: count(),
        active: sql<number>`count(*) filter (where ${purchases.status} = 'active')`.mapWith(Number),
      })
      .from(purchases)
      .where(inArray(purchases.userId, userIds))
      .groupBy(purchases.userId)
    return new Map(counts.map((row) => [row.userId, row]))
  }

  return {
    async list({ q, cursor, limit }: { q?: string | undefined; cursor?: string | undefined; limit: number }) {
      const after = decodeCursor(cursor)
      const conditions: SQL[] = [isNull(users.deletedAt)]
      if (after) conditions.push(sql`(${users.createdAt}, ${users.id}) < (${after.at}, ${after.id})`)
      if (q) conditions.push(like(users.searchText, containing(q)))
      const rows = await db
        .select({
          id: users.id,
          name: users.name,
          email: users.email,
          isAdmin: users.isAdmin,
          createdAt: users.createdAt,
        })
        .from(users)
        .where(and(...conditions))
        .orderBy(desc(users.createdAt), desc(users.id))
        .limit(limit + 1)
      const { items, next } = pageOf(rows, limit, ({ createdAt, id }) => ({ at: createdAt, id }))
      const counts = await purchasesOf(items.map(({ id }) => id))
      return {
        items: items.map((user) => ({
          ...user,
          activePurchases: counts.get(user.id)?.active ?? 0,
          totalPurchases: counts.get(user.id)?.total ?? 0,
        })),
        next,
      }
    },

    async add({ password, ...user }: NewUser, alongside: (tx: Transaction) => Promise<void>) {
      passwords.refuseCommon(password, 'password')
      const passwordHash = await passwords.hash(password)
      await db.transaction(async (tx) => {
        const added = await tx
          .insert(users)
          .values({ ...user, passwordHash, createdAt: now() })
          .onConflictDoNothing({ target: users.email })
          .returning({ id: users.id })
        if (added.length === 0) throw conflict('There is already a user with this email')
        await alongside(tx)
      })
    },
  }
}
