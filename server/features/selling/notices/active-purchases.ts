import { and, eq, isNull, lte, or, type SQL } from 'drizzle-orm'
import { dayMs } from '#contract/dates.ts'
import type { PaymentPlace } from '#contract/statuses.ts'
import type { Database } from '#server/database/connect.ts'
import { purchases, users } from '#server/database/schema.ts'

export const addDays = (date: Date, days: number) => new Date(date.getTime() + days * dayMs)

export const findActivePurchases = (db: Database, paidThrough: PaymentPlace, ...conditions: SQL[]) =>
  db
    .select({ purchase: purchases, email: users.email, name: users.name })
    .from(purchases)
    .innerJoin(users, eq(users.id, purchases.userId))
    .where(
      and(
        eq(purchases.status, 'active'),
        eq(purchases.paidThrough, paidThrough),
        // A renewal while collection is paused charges nothing.
        or(eq(purchases.isCollectionPaused, false), lte(purchases.collectionResumesAt, purchases.currentPeriodEnd)),
        ...conditions,
        isNull(users.deletedAt),
      ),
    )
