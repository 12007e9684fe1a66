import { isNull, sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { userId } from './accounts.ts'
import { productId } from './catalog.ts'
import { id, moment, momentOfInsert } from './columns.ts'
import { personal } from './personal.ts'

/** Starts as an invitation; one per person and product. */
export const reviews = pgTable(
  'reviews',
  {
    id: id(),
    userId: userId(),
    productId: productId(),
    invitedAt: momentOfInsert(),
    stars: integer(),
    text: text(),
    author: text(),
    writtenAt: moment(),
    showsPayingSince: boolean().notNull().default(false),
    answer: text(),
    answeredAt: moment(),
    report: text(),
    reportedAt: moment(),
    hiddenBecause: text(),
  },
  (t) => [
    uniqueIndex('reviews_one_each').on(t.userId, t.productId),
    index('reviews_newest').on(t.writtenAt, t.id).where(sql`${t.writtenAt} is not null`),
    check('reviews_stars', sql`${t.stars} between 1 and 5`),
  ],
)

/** The text stays, without a name. */
export const personalReviews = [
  personal(reviews, {
    // Leaves out `report`, which another person wrote.
    shown: { as: 'reviews', columns: 'stars text author invitedAt writtenAt showsPayingSince answer hiddenBecause' },
    deletes: isNull(reviews.writtenAt),
    empties: { author: null },
  }),
]
