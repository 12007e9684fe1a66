import { sql } from 'drizzle-orm'
import {
  bigint,
  check,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { type BillingType, movementCauses, movementKinds } from '#contract/statuses.ts'
import { listed, moment } from './columns.ts'
import { personal } from './personal.ts'

const number = () => bigint({ mode: 'number' })

/** Every movement of recurring revenue. Rows are only added, which triggers.sql sees to: a correction takes another one back. */
export const mrrMovements = pgTable(
  'mrr_movements',
  {
    id: number().primaryKey().generatedAlwaysAsIdentity(),
    purchaseId: uuid().notNull(),
    userId: uuid().notNull(),
    productId: uuid().notNull(),
    /** When it happened, and when the shop learned of it. */
    at: moment().notNull(),
    recordedAt: moment().notNull(),
    /** The invoice that was paid, or what else it comes from; once for each purchase, unless it was corrected. */
    source: text().notNull(),
    revision: integer().notNull(),
    kind: text({ enum: movementKinds }).notNull(),
    cause: text({ enum: movementCauses }).notNull(),
    billingType: text().$type<BillingType>(),
    /** What the purchase earned in a year, in whole cents, before and after. */
    arrBefore: integer().notNull(),
    arrAfter: integer().notNull(),
    /** How many more people pay. */
    people: integer().notNull(),
    corrects: number().unique(),
  },
  (t) => [
    uniqueIndex('mrr_movements_source').on(t.purchaseId, t.source, t.revision),
    index('mrr_movements_at').on(t.at, t.id),
    index('mrr_movements_kind').on(t.kind, t.at, t.id),
    index('mrr_movements_user').on(t.userId),
    check('mrr_movements_kinds', sql`${t.kind} in ${listed(movementKinds)}`),
    check('mrr_movements_causes', sql`${t.cause} in ${listed(movementCauses)}`),
  ],
)

/** The same by day, kept by triggers.sql, so that no figure reads all movements; added up at night. */
export const mrrDays = pgTable(
  'mrr_days',
  {
    id: number().primaryKey().generatedAlwaysAsIdentity(),
    day: date().notNull(),
    kind: text({ enum: movementKinds }).notNull(),
    cause: text({ enum: movementCauses }).notNull(),
    movements: number().notNull(),
    people: number().notNull(),
    arr: number().notNull(),
    /** How many of them were recorded after their month was over. */
    late: number().notNull(),
  },
  (t) => [index('mrr_days_day').on(t.day)],
)

/** Who stayed: by the month of a person's first payment, how many of them more or fewer pay in each month. Counted hourly. */
export const cohortMonths = pgTable(
  'cohort_months',
  {
    cohort: date().notNull(),
    month: date().notNull(),
    /** Who paid for the first time; only in the first of its months. */
    joined: integer().notNull(),
    people: integer().notNull(),
    arr: number().notNull(),
  },
  (t) => [primaryKey({ columns: [t.cohort, t.month] })],
)

/** Money by the month in which it moved. Kept by triggers.sql, which only ever adds rows; added up at night. */
export const cashMonths = pgTable(
  'cash_months',
  {
    id: number().primaryKey().generatedAlwaysAsIdentity(),
    month: date().notNull(),
    paid: number().notNull(),
    tax: number().notNull(),
    refunded: number().notNull(),
    lost: number().notNull(),
  },
  (t) => [index('cash_months_month').on(t.month)],
)

/** What a night's look at Stripe's own list of subscriptions found, in whole cents a year. */
export const mrrProofs = pgTable('mrr_proofs', {
  at: moment().primaryKey(),
  /** Subscriptions that both know. */
  compared: integer().notNull(),
  atStripe: number().notNull(),
  here: number().notNull(),
  /** What Stripe cannot know: paid elsewhere. */
  elsewhere: number().notNull(),
  differing: integer().notNull(),
  /** The first of those that differ. */
  differences: jsonb().$type<{ subscriptionId: string; atStripe: number; here: number }[]>().notNull(),
})

/** The books stay, and name no one. */
export const personalLedger = [
  personal(mrrMovements, {
    shown: {
      as: 'revenue',
      columns: 'purchaseId at kind cause',
      more: { yearlyBeforeInCents: mrrMovements.arrBefore, yearlyAfterInCents: mrrMovements.arrAfter },
      order: sql`${mrrMovements.at}, ${mrrMovements.id}`,
    },
  }),
]
