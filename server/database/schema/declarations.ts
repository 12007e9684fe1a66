import { desc, eq, or, sql } from 'drizzle-orm'
import { boolean, check, date, index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { declarationKinds, declarationStates } from '#contract/statuses.ts'
import { users } from './accounts.ts'
import { id, listed, moment, momentOfInsert } from './columns.ts'
import { deletedEmail, personal } from './personal.ts'
import { purchases } from './purchases.ts'

/** Cancellations and withdrawals from the forms that need no login, or that wait for Stripe. Each counts from `declaredAt`. */
export const declarations = pgTable(
  'declarations',
  {
    id: id(),
    kind: text({ enum: declarationKinds }).notNull(),
    state: text({ enum: declarationStates }).notNull().default('open'),
    name: text().notNull(),
    /** Contract number, email address or text, as typed. */
    contract: text().notNull(),
    email: text().notNull(),
    forCause: boolean().notNull().default(false),
    reason: text(),
    /** Null means as soon as possible. */
    endsOn: date({ mode: 'string' }),
    declaredAt: momentOfInsert(),
    networkHash: text().notNull(),
    /** Account that was logged in, or that confirmed the declaration by the emailed link. */
    userId: uuid().references(() => users.id),
    purchaseId: uuid().references(() => purchases.id, { onDelete: 'set null' }),
    linkEndsAt: moment(),
    /** Time when the seller was told that nobody had used the emailed link. */
    sellerToldAt: moment(),
    handledAt: moment(),
    outcome: text(),
  },
  (t) => [
    index('declarations_newest').on(t.declaredAt, t.id),
    index('declarations_confirmed').on(t.id).where(sql`${t.state} = 'confirmed'`),
    index('declarations_user').on(t.userId),
    check('declarations_kind', sql`${t.kind} in ${listed(declarationKinds)}`),
    check('declarations_state', sql`${t.state} in ${listed(declarationStates)}`),
  ],
)

/** Declarations stay in the books without the person. "My data" shows only those the person declared. */
export const personalDeclarations = [
  personal(declarations, {
    of: (person) =>
      or(
        eq(declarations.userId, person.id),
        sql`${declarations.purchaseId} in (select id from ${purchases} where user_id = ${person.id})`,
      ),
    shown: {
      as: 'declarations',
      of: declarations.userId,
      columns: 'kind state name contract email reason endsOn declaredAt handledAt outcome',
      order: desc(declarations.declaredAt),
    },
    empties: (person) => ({
      name: 'Deleted user',
      contract: '',
      email: deletedEmail(person.id),
      reason: null,
      outcome: null,
      networkHash: '',
    }),
  }),
]
