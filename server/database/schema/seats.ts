import { eq, inArray, sql } from 'drizzle-orm'
import { pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { productId } from './catalog.ts'
import { createdAt, id, moment } from './columns.ts'
import { personal } from './personal.ts'

export const seatReservations = pgTable(
  'seat_reservations',
  {
    id: id(),
    productId: productId(),
    /** Whose: an account, or a guest's browser. */
    holder: text().notNull(),
    expiresAt: moment().notNull(),
  },
  (t) => [uniqueIndex('seat_reservations_holder').on(t.productId, t.holder)],
)

export const waitlist = pgTable(
  'waitlist',
  { id: id(), email: text().notNull(), productId: productId(), createdAt: createdAt(), invitedAt: moment() },
  (t) => [uniqueIndex('waitlist_once').on(t.productId, t.email)],
)

/** People who wait, or pay as guests, are known by their address alone. */
export const personalSeats = [
  personal(seatReservations, {
    of: (person) => inArray(seatReservations.holder, [person.id, person.email]),
    deletes: true,
  }),
  personal(waitlist, {
    of: ({ email }) => eq(waitlist.email, email),
    shown: {
      as: 'waitingList',
      of: ({ email, verifiedAt }) => (verifiedAt ? eq(waitlist.email, email) : sql`false`),
      columns: 'email invitedAt',
      more: { since: waitlist.createdAt },
    },
    deletes: true,
  }),
]
