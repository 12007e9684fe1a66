import { sql } from 'drizzle-orm'
import { bigint, check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
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
    index('mrr_movements_user').on(t.userId, t.at),
    check('mrr_movements_kinds', sql`${t.kind} in ${listed(movementKinds)}`),
    check('mrr_movements_causes', sql`${t.cause} in ${listed(movementCauses)}`),
  ],
)

/** What a night's look at Stripe's own list of subscriptions found, in whole cents a year. */
export const mrrProofs = pgTable('mrr_proofs', {
  at: moment().primaryKey(),
  /** Subscriptions that could be read. */
  compared: integer().notNull(),
  /** By the prices of Stripe's own list. */
  atStripe: number().notNull(),
  here: number().notNull(),
  /** What Stripe cannot know: paid elsewhere. */
  elsewhere: number().notNull(),
  /** Without those that are explained. */
  differing: integer().notNull(),
  unreadable: integer().notNull().default(0),
  /** Sold by this shop, charged by Stripe, and not in this database. */
  unknown: integer().notNull().default(0),
  /** How much less, or more, counts here for each reason that is none of the shop's faults. */
  explained: jsonb().$type<{ kind: ExplainedDifference; count: number; arr: number }[]>().notNull(),
  /** The first of those that differ. */
  differences: jsonb()
    .$type<{ subscriptionId: string; atStripe: number; here: number; kind: DifferenceFault }[]>()
    .notNull(),
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
