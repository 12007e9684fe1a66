import { and, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import { type FoundPerson, maxPeopleFound, type SearchResult } from '#contract/admin/search.ts'
import type { Context } from '#server/context.ts'
import { invoices, orders, payments, purchases, refunds, users } from '#server/database/schema.ts'
import { inOrder, usersMatching } from '#server/database/text-search.ts'

type SearchDeps = Pick<Context, 'db'>

/** Search for customers, purchases and payments. Ids are matched exactly; words use the trigram index. */
export type Search = { find(q: string): Promise<SearchResult> }

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const stripeId = /^(?:pi|in|re|sub|cus)_[A-Za-z0-9_]{1,200}$/
const invoiceNumber = /^[A-Z0-9]{4,20}-\d{1,8}$/i

export function createSearch({ db }: SearchDeps): Search {
  const people = (where: SQL | undefined) =>
    db
      .select({ id: users.id, name: users.name, email: users.email, tradingViewUsername: users.tradingViewUsername })
      .from(users)
      .where(and(isNull(users.deletedAt), where))

  const ownersIn = (table: typeof purchases | typeof orders | typeof invoices, where: SQL) =>
    people(inArray(users.id, db.select({ id: table.userId }).from(table).where(where))).limit(maxPeopleFound)

  const ownersOfPayment = (where: SQL) =>
    ownersIn(invoices, inArray(invoices.id, db.select({ id: payments.invoiceId }).from(payments).where(where)))

  function byId(typed: string): Promise<FoundPerson[]> {
    if (typed.startsWith('cus_')) return ownersIn(orders, eq(orders.customerId, typed))
    if (typed.startsWith('sub_')) return ownersIn(purchases, eq(purchases.stripeSubscriptionId, typed))
    if (typed.startsWith('in_')) return ownersIn(invoices, eq(invoices.id, typed))
    if (typed.startsWith('pi_')) return ownersOfPayment(eq(payments.paymentIntentId, typed))
    const refunded = db.select({ id: refunds.paymentIntentId }).from(refunds).where(eq(refunds.id, typed))
    return ownersOfPayment(inArray(payments.paymentIntentId, refunded))
  }

  async function byWords(q: string): Promise<SearchResult> {
    const word = q.toLowerCase()
    const isExactly = sql`(${users.email} = ${word} or lower(${users.tradingViewUsername}) = ${word})`
    const hits = await people(inArray(users.id, usersMatching(q)))
      .orderBy(sql`${isExactly} is true desc`, ...inOrder(users, 'newest'))
      .limit(maxPeopleFound + 1)
    return { people: hits.slice(0, maxPeopleFound), hasMore: hits.length > maxPeopleFound }
  }

  const all = (hits: FoundPerson[]): SearchResult => ({ people: hits, hasMore: false })

  return {
    async find(q) {
      if (uuid.test(q)) {
        const account = await people(eq(users.id, q))
        return all(account.length > 0 ? account : await ownersIn(purchases, eq(purchases.id, q)))
      }
      if (stripeId.test(q)) return all(await byId(q))
      const found = await byWords(q)
      const isEmpty = found.people.length === 0 && !found.hasMore
      return isEmpty && invoiceNumber.test(q)
        ? all(await ownersOfPayment(eq(payments.invoiceNumber, q.toUpperCase())))
        : found
    },
  }
}
