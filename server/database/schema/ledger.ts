import { sql } from 'drizzle-orm'
import {
  bigint,
  check,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import {
  type BillingType,
  type DifferenceFault,
  type ExplainedDifference,
  movementCauses,
  movementKinds,
} from '#contract/statuses.ts'
import { listed, moment } from './columns.ts'
import { personal } from './personal.ts'

const number = () => bigint({ mode: 'number' })

/** Append-only by triggers.sql: a correction adds the opposite row. */
export const mrrMovements = pgTable(
  'mrr_movements',
  {
    id: number().primaryKey().generatedAlwaysAsIdentity(),
    purchaseId: uuid().notNull(),
    userId: uuid().notNull(),
    productId: uuid().notNull(),
    at: moment().notNull(),
    /** First day of the month of `at` in UTC. Generated, because the overview groups all rows by it. */
    month: date().notNull().generatedAlwaysAs(sql`date_trunc('month', at at time zone 'UTC')::date`),
    dayOfMonth: smallint().notNull().generatedAlwaysAs(sql`extract(day from at at time zone 'UTC')::smallint`),
    recordedAt: moment().notNull(),
    /** Id of the paid invoice or another cause; unique for each purchase unless corrected. */
    source: text().notNull(),
    /** Number of earlier rows with the same purchase and source. */
    revision: integer().notNull(),
    kind: text({ enum: movementKinds }).notNull(),
    cause: text({ enum: movementCauses }).notNull(),
    billingType: text().$type<BillingType>(),
    /** Annual revenue of the purchase in cents, before and after the movement. */
    arrBefore: integer().notNull(),
    arrAfter: integer().notNull(),
    /** Change in the number of paying people. */
    people: integer().notNull(),
    corrects: number().unique(),
  },
  (t) => [
    uniqueIndex('mrr_movements_source').on(t.purchaseId, t.source, t.revision),
    index('mrr_movements_at').on(t.at, t.id),
    index('mrr_movements_kind').on(t.kind, t.at, t.id),
    index('mrr_movements_user').on(t.userId, t.at),
    // Covers the query for people who stop paying.
    index('mrr_movements_people').on(t.month, t.userId, t.dayOfMonth, t.people).where(sql`${t.people} <> 0`),
    check('mrr_movements_kinds', sql`${t.kind} in ${listed(movementKinds)}`),
    check('mrr_movements_causes', sql`${t.cause} in ${listed(movementCauses)}`),
  ],
)

/** A nightly comparison with Stripe's list of subscriptions. Amounts are in cents a year. */
export const mrrProofs = pgTable('mrr_proofs', {
  at: moment().primaryKey(),
  compared: integer().notNull(),
  atStripe: number().notNull(),
  here: number().notNull(),
  /** Revenue of purchases paid elsewhere, which Stripe does not know. */
  elsewhere: number().notNull(),
  /** Number of subscriptions whose difference no known reason explains. */
  differing: integer().notNull(),
  unreadable: integer().notNull().default(0),
  /** Subscriptions that this shop sold and Stripe charges, but that this database lacks. */
  unknown: integer().notNull().default(0),
  explained: jsonb().$type<{ kind: ExplainedDifference; count: number; arr: number }[]>().notNull(),
  differences: jsonb()
    .$type<{ subscriptionId: string; atStripe: number; here: number; kind: DifferenceFault }[]>()
    .notNull(),
})

/** The books stay and contain no names. */
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
