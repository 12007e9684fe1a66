import { and, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import { type FoundPerson, maxPeopleFound, type SearchResult } from '#contract/admin/search.ts'
import type { Context } from '#server/context.ts'
import { invoices, orders, payments, purchases, refunds, users } from '#server/database/schema.ts'
import { inOrder, usersMatching } from '#server/database/text-search.ts'

type SearchDeps = Pick<Context, 'db'>

/** Ids are matched exactly; words use the trigram index. */
export type Search = { find(q: string): Promise<SearchResult> }

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const stripeId = /^(?:pi|in|re|sub|cus)_[A-Za-z0-9_]{1,200}$/
const invoiceNumber = /^[A-Z0-9]{4,20}-\d{1,8}$/i

export function createSearch({ db }: SearchDeps): Search {
  const findPeople = (where: SQL | undefined) =>
    db
      .select({ id: users.id, name: users.name, email: users.email, tradingViewUsername: users.tradingViewUsername })
      .from(users)
      .where(and(isNull(users.deletedAt), where))

  const findOwners = (table: typeof purchases | typeof orders | typeof invoices, where: SQL) =>
    findPeople(inArray(users.id, db.select({ id: table.userId }).from(table).where(where))).limit(maxPeopleFound)

  const findPaymentOwners = (where: SQL) =>
    findOwners(invoices, inArray(invoices.id, db.select({ id: payments.invoiceId }).from(payments).where(where)))

  function findByStripeId(id: string): Promise<FoundPerson[]> {
    if (id.startsWith('cus_')) return findOwners(orders, eq(orders.customerId, id))
    if (id.startsWith('sub_')) return findOwners(purchases, eq(purchases.stripeSubscriptionId, id))
    if (id.startsWith('in_')) return findOwners(invoices, eq(invoices.id, id))
    if (id.startsWith('pi_')) return findPaymentOwners(eq(payments.paymentIntentId, id))
    const refundedPayments = db.select({ id: refunds.paymentIntentId }).from(refunds).where(eq(refunds.id, id))
    return findPaymentOwners(inArray(payments.paymentIntentId, refundedPayments))
  }

  async function findByWords(q: string): Promise<SearchResult> {
    const word = q.toLowerCase()
    const isExactMatch = sql`(${users.email} = ${word} or lower(${users.tradingViewUsername}) = ${word})`
    const hits = await findPeople(inArray(users.id, usersMatching(q)))
      .orderBy(sql`${isExactMatch} is true desc`, ...inOrder(users, 'newest'))
      .limit(maxPeopleFound + 1)
    return { people: hits.slice(0, maxPeopleFound), hasMore: hits.length > maxPeopleFound }
  }

  const completeResult = (people: FoundPerson[]): SearchResult => ({ people, hasMore: false })

  return {
    async find(q) {
      if (uuid.test(q)) {
        const people = await findPeople(eq(users.id, q))
        return completeResult(people.length > 0 ? people : await findOwners(purchases, eq(purchases.id, q)))
      }
      if (stripeId.test(q)) return completeResult(await findByStripeId(q))
      const found = await findByWords(q)
      // Looks for words first, because a username may look like an invoice number.
      if (found.people.length > 0 || !invoiceNumber.test(q)) return found
      return completeResult(await findPaymentOwners(eq(payments.invoiceNumber, q.toUpperCase())))
    },
  }
}
