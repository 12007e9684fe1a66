import { and, between, desc, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import type { Hit } from '#contract/desk/search.ts'
import { readContractNumber } from '#contract/selling/legal/consumer-law.ts'
import type { Context } from '#server/context.ts'
import { checkouts, purchases, users } from '#server/database/schema.ts'
import { trigramPattern } from '#server/database/text-search.ts'
import type { Accounts } from '#server/features/identity/accounts/accounts.ts'
import type { StripeGateway } from '#server/gateways/stripe.ts'

type Others = { stripe: Pick<StripeGateway, 'customers'>; accounts: Pick<Accounts, 'users'> }

export type Search = ReturnType<typeof createSearch>

const most = 8
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const stripeId = /^(?:pi|in|ch|re|sub|cus)_[A-Za-z0-9_]{1,200}$/
const invoiceNumber = /^[A-Z0-9]{4,20}-\d{1,8}$/i

/** One box for everything a customer may name. Ids are looked up as they are; words go through an index of trigrams. */
export function createSearch({ db }: Context, { stripe, accounts }: Others) {
  const people = (where: SQL | undefined) =>
    db
      .select({
        id: users.id,
        name: users.name,
        email: users.email,
        tradingViewUsername: users.tradingViewUsername,
      })
      .from(users)
      .where(and(isNull(users.deletedAt), where))

  const ownersOf = (where: SQL | undefined) =>
    people(inArray(users.id, db.select({ id: purchases.userId }).from(purchases).where(where))).limit(most)

  const ownersOfCheckout = (where: SQL | undefined) =>
    people(inArray(users.id, db.select({ id: checkouts.userId }).from(checkouts).where(where))).limit(most)

  /** What we have not stored, Stripe knows: a renewal's payment, an invoice, a refund. */
  async function throughStripe(reference: string): Promise<Hit[]> {
    const customer = await stripe.customers.find(reference)
    return customer ? ownersOfCheckout(eq(checkouts.customerId, customer)) : []
  }

  async function byId(typed: string): Promise<Hit[]> {
    if (typed.startsWith('cus_')) return ownersOfCheckout(eq(checkouts.customerId, typed))
    const column = typed.startsWith('sub_')
      ? purchases.stripeSubscriptionId
      : typed.startsWith('pi_')
        ? purchases.paymentIntentId
        : undefined
    const known = column ? await ownersOf(eq(column, typed)) : []
    return known.length > 0 ? known : throughStripe(typed)
  }

  async function byContract(start: string): Promise<Hit[]> {
    const from = `${start}-0000-0000-0000-000000000000`
    const to = `${start}-ffff-ffff-ffff-ffffffffffff`
    return ownersOf(between(purchases.id, from, to))
  }

  async function byTradingViewName(q: string): Promise<Hit[]> {
    const pattern = trigramPattern(q)
    if (!pattern) return []
    const name = sql`lower(${users.tradingViewUsername})`
    return people(and(sql`${name} like ${pattern}`, sql`strpos(${name}, ${q.toLowerCase()}) > 0`))
      .orderBy(desc(sql`${name} = ${q.toLowerCase()}`))
      .limit(most)
  }

  async function byWord(q: string): Promise<Hit[]> {
    const [{ items }, named] = await Promise.all([
      accounts.users.list({ q, limit: most }),
      byTradingViewName(q),
    ])
    const rest = items.filter(({ id }) => !named.some((hit) => hit.id === id))
    const found = rest.map(({ id, name, email }) => ({ id, name, email, tradingViewUsername: null }))
    return [...named, ...found].slice(0, most)
  }

  return {
    async find(q: string): Promise<Hit[]> {
      if (uuid.test(q)) {
        const [account] = await people(eq(users.id, q))
        return account ? [account] : ownersOf(eq(purchases.id, q))
      }
      if (stripeId.test(q)) return byId(q)
      const contract = readContractNumber(q)
      if (contract) return byContract(contract)
      const found = await byWord(q)
      return found.length === 0 && invoiceNumber.test(q) ? throughStripe(q) : found
    },
  }
}
