import { desc, eq, or, sql } from 'drizzle-orm'
import { boolean, check, date, index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { declarationKinds, declarationStates } from '#contract/statuses.ts'
import { users } from './accounts.ts'
import { createdAt, id, listed, moment } from './columns.ts'
import { deletedEmail, personal } from './personal.ts'
import { purchases } from './purchases.ts'

/** What people declared about contracts without having to log in. Each counts from the moment it arrived. */
export const declarations = pgTable(
  'declarations',
  {
    id: id(),
    kind: text({ enum: declarationKinds }).notNull(),
    state: text({ enum: declarationStates }).notNull().default('open'),
    name: text().notNull(),
    /** As typed: a contract number, an email address, or words. */
    contract: text().notNull(),
    /** Where the receipt goes. */
    email: text().notNull(),
    forCause: boolean().notNull().default(false),
    reason: text(),
    /** The day it should end; as soon as possible if null. */
    endsOn: date({ mode: 'string' }),
    declaredAt: createdAt(),
    networkHash: text().notNull(),
    /** Who was logged in, or confirmed it by the emailed link. */
    userId: uuid().references(() => users.id),
    /** The contract it is about, as far as we can tell. */
    purchaseId: uuid().references(() => purchases.id, { onDelete: 'set null' }),
    /** Until when its emailed link carries it out. Null if it has none, or is older than this column. */
    linkEndsAt: moment(),
    /** When the seller was told that the link had not been clicked. */
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

/** What was declared stays with the books, without who. Shown is only what they declared themselves, not a stranger. */
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
