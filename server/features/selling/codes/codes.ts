import { and, count, desc, eq, inArray, isNull, ne, or, sql } from 'drizzle-orm'
import type { RawOutputOf } from '#contract/endpoint.ts'
import { addMonths, type BillingType, planOf, plansWithPrice } from '#contract/plans.ts'
import { type Charges, priceAfterDiscount } from '#contract/selling/charges.ts'
import type { codes as codeCalls } from '#contract/selling/codes.ts'
import { minCharge, type NewCode } from '#contract/selling/codes.ts'
import type { CodeState } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { failedRefundStatuses } from '#server/database/schema/columns.ts'
import {
  codeUses,
  discountCodes,
  invoices,
  isAcceptedPurchase,
  orders,
  payments,
  purchases,
  refunds,
  users,
} from '#server/database/schema.ts'
import { conflict, invalid, notFound, Refusal } from '#server/errors.ts'
import type { Prices } from '../prices/prices.ts'

type CodeDeps = Pick<Context, 'db' | 'now' | 'stripe'>

/** Discount codes. Each is a coupon at Stripe, which computes the discounts. */
export type Codes = {
  /** Throws 409 if the code can't be used for the order. */
  apply(typedCode: string, order: OrderDraft): Promise<AppliedCode>
  /** Returns a reason to refund the payment, or null. Locks the code row, so concurrent payments are counted in order. */
  use(
    tx: Transaction,
    order: PaidOrder,
    buyer: Buyer,
  ): Promise<{ because: 'code_used_up' | 'code_new_only'; code: string } | null>
  /** Counts a use whose order was lost, even beyond the code's limit, so that `use` accepts its payment. */
  recordLostUse(tx: Transaction, order: Pick<PaidOrder, 'id' | 'codeId'>): Promise<void>
  /** A code and its coupon have the same id. */
  findByCoupons(ids: string[]): Promise<Code[]>
  recreateCoupon(code: Code): Promise<void>
  recreateCoupons(onError: (error: unknown) => void): Promise<void>
}

type CodeAdministrationContext = Pick<Context, 'audit' | 'catalog' | 'config' | 'db' | 'now' | 'stripe'>

export type CodeAdministration = {
  list(): Promise<RawOutputOf<typeof codeCalls.adminList>>
  /** Creates the coupon at Stripe before the row, so that every stored code can be used. */
  add(actor: Actor, code: NewCode): Promise<void>
  stop(actor: Actor, id: string): Promise<void>
}

export type Code = typeof discountCodes.$inferSelect
export type AppliedCode = { code: Code; charges: Charges }

/** `userId` and `email` are both null for a visitor who has not typed an email yet. */
type Buyer = { userId: string | null; email: string | null }
type PaidOrder = { id: string; codeId: string | null; subscriptionId: string }
export type OrderDraft = { productId: string; billingType: BillingType; price: number; buyer: Buyer }

/** Same refusal for unknown and unusable codes, so that guessing reveals none. */
const refusedSentence =
  'We can’t apply this code. It may be misspelled or over, or for another plan or new customers only.'
const codeRefused = () => new Refusal(409, 'code-refused', refusedSentence, { fields: { code: refusedSentence } })

const normalizeCode = (typedCode: string) => typedCode.normalize('NFKC').replaceAll(/\s/g, '').toUpperCase()

export function createCodes({ db, now, stripe }: CodeDeps): Codes {
  const isUsedUp = async (tx: Database | Transaction, { id, maxUses }: Code) =>
    maxUses !== null && (await tx.$count(codeUses, eq(codeUses.codeId, id))) >= maxUses

  /** Refused payments and the subscription `exceptId` don't count as bought. */
  async function hasBought(tx: Database | Transaction, { userId, email }: Buyer, exceptId = '') {
    if (!userId && !email) return false
    const isBuyer = or(userId ? eq(users.id, userId) : undefined, email ? eq(users.email, email) : undefined)
    const [found] = await tx
      .select({ id: purchases.id })
      .from(purchases)
      .innerJoin(users, eq(users.id, purchases.userId))
      .where(and(isBuyer, isAcceptedPurchase, ne(sql`coalesce(${purchases.stripeSubscriptionId}, '')`, exceptId)))
      .limit(1)
    return found !== undefined
  }

  return {
    async apply(typedCode, { productId, billingType, price, buyer }) {
      const [code] = await db
        .select()
        .from(discountCodes)
        .where(eq(discountCodes.code, normalizeCode(typedCode)))
      if (!code || stateAt(code, now()) !== 'running') throw codeRefused()
      const isForOtherProduct = code.productId !== null && code.productId !== productId
      const isForOtherPlan = code.billingType !== null && code.billingType !== billingType
      if (isForOtherProduct || isForOtherPlan) throw codeRefused()
      if (priceAfterDiscount(price, code) < minCharge) throw codeRefused()
      if (code.newOnly && (await hasBought(db, buyer))) throw codeRefused()
      if (await isUsedUp(db, code)) throw codeRefused()
      return { code, charges: chargesOf(price, code, billingType, now()) }
    },

    async use(tx, { id: orderId, codeId, subscriptionId }, buyer) {
      if (!codeId) return null
      const [code] = await lockCode(tx, codeId)
      if (!code) return null
      const isCounted = (await tx.$count(codeUses, eq(codeUses.checkoutId, orderId))) > 0
      if (isCounted) return null
      // The code may have been used by others between the checkout and this payment.
      if (await isUsedUp(tx, code)) return { because: 'code_used_up' as const, code: code.code }
      if (code.newOnly && (await hasBought(tx, buyer, subscriptionId)))
        return { because: 'code_new_only' as const, code: code.code }
      await tx.insert(codeUses).values({ checkoutId: orderId, codeId: code.id, usedAt: now() })
      return null
    },

    async recordLostUse(tx, { id: checkoutId, codeId }) {
      if (codeId) await tx.insert(codeUses).values({ checkoutId, codeId, usedAt: now() })
    },

    findByCoupons: (ids) =>
      db
        .select()
        .from(discountCodes)
        .where(inArray(sql`${discountCodes.id}::text`, ids)),

    recreateCoupon: (code) => stripe.coupons.ensure(code),

    async recreateCoupons(onError) {
      const rows = await db.select().from(discountCodes).where(isNull(discountCodes.stoppedAt))
      for (const code of rows) if (stateAt(code, now()) !== 'over') await stripe.coupons.ensure(code).catch(onError)
    },
  }
}

/** At Stripe, a coupon for some months reduces every invoice issued before those months end. */
function chargesOf(price: number, code: Code, billingType: BillingType, now: Date): Charges {
  const { months: periodMonths, period } = planOf(billingType)
  const reducedPrice = priceAfterDiscount(price, code)
  const renewsAt = addMonths(now, periodMonths)
  const atFullPrice = { period, today: reducedPrice, next: { amount: price, at: renewsAt }, later: null }
  const atReducedPrice = { ...atFullPrice, next: { amount: reducedPrice, at: renewsAt } }
  // Without a number of months, the discount never ends.
  if (code.months === null) return atReducedPrice
  const isRenewalReduced = periodMonths < code.months
  if (!isRenewalReduced) return atFullPrice
  const monthsToFullPrice = periodMonths * Math.ceil(code.months / periodMonths)
  return { ...atReducedPrice, later: { amount: price, at: addMonths(now, monthsToFullPrice) } }
}

export function createCodeAdministration(context: CodeAdministrationContext, prices: Prices): CodeAdministration {
  const { db, now, stripe, audit, catalog } = context

  /** A code for any product or plan leads to the product of the home page and its shortest plan. */
  function checkoutLinkOf({ code, productId, billingType }: Code) {
    const product = catalog.findById(productId ?? '') ?? catalog.homeProduct()
    const [shortestPlan] = plansWithPrice(product.prices)
    const billing = billingType ?? shortestPlan?.key ?? ''
    return `${context.config.publicUrl}/checkout?${new URLSearchParams({ product: product.slug, billing, code })}`
  }

  return {
    async list() {
      const counts = await db.select({ codeId: codeUses.codeId, used: count() }).from(codeUses).groupBy(codeUses.codeId)
      const codes = await db.select().from(discountCodes).orderBy(desc(discountCodes.createdAt))
      const revenues = await readRevenues(db)
      return codes.map((code) => {
        const used = counts.find(({ codeId }) => codeId === code.id)?.used ?? 0
        const isUsedUp = code.maxUses !== null && used >= code.maxUses
        const state = stateAt(code, now())
        const { stoppedAt: _, ...columns } = code
        return {
          ...columns,
          state: state === 'running' && isUsedUp ? ('used up' as const) : state,
          used,
          revenue: revenues.get(code.id) ?? 0,
          link: checkoutLinkOf(code),
        }
      })
    },

    async add(actor, { from, until, ...input }) {
      const { percentOff = null, amountOff = null, months = null, productId = null } = input
      const hasOneDiscount = (percentOff === null) !== (amountOff === null)
      if (!hasOneDiscount) throw invalid('percentOff', 'Please enter a percentage or an amount')

      const products = catalog.productsOnSale().filter(({ id }) => !productId || id === productId)
      if (products.length === 0) throw notFound('Product')
      for (const product of products) {
        const plans = input.billingType ? [input.billingType] : plansWithPrice(product.prices).map(({ key }) => key)
        for (const plan of plans) {
          const { amount } = await prices.current(product.id, plan)
          const field = percentOff === null ? 'amountOff' : 'percentOff'
          if (priceAfterDiscount(amount, { percentOff, amountOff }) < minCharge)
            throw invalid(field, `At least $1.00 must remain to pay, on the ${plan} plan, too`)
        }
      }

      if (until && until <= (from ?? now())) throw invalid('until', 'This day is over, or before the first')
      const newCode: Code = {
        id: crypto.randomUUID(),
        code: input.code,
        percentOff,
        amountOff,
        months,
        productId,
        billingType: input.billingType ?? null,
        startsAt: from ?? null,
        endsAt: until ?? null,
        maxUses: input.maxUses ?? null,
        newOnly: input.newOnly ?? false,
        createdAt: now(),
        stoppedAt: null,
      }

      const isNameTaken = (await db.$count(discountCodes, eq(discountCodes.code, newCode.code))) > 0
      if (isNameTaken) throw invalid('code', 'There is a code of this name already')
      await stripe.coupons.ensure(newCode)
      await db.transaction(async (tx) => {
        await tx.insert(discountCodes).values(newCode)
        await audit.record(tx, actor, {
          action: 'code.add',
          subject: newCode.code,
          detail: { percentOff, amountOff, months, maxUses: newCode.maxUses },
        })
      })
    },

    async stop(actor, id) {
      await db.transaction(async (tx) => {
        const [code] = await lockCode(tx, id)
        if (!code) throw notFound('Code')
        if (code.stoppedAt) throw conflict('already-handled', 'This code has been stopped already')
        await tx.update(discountCodes).set({ stoppedAt: now() }).where(eq(discountCodes.id, id))
        await audit.record(tx, actor, { action: 'code.stop', subject: code.code })
      })
    },
  }
}

/** `for update` could deadlock with new orders, whose foreign key locks the code's row as well; `no key update` can't. */
const lockCode = (tx: Transaction, codeId: string) =>
  tx.select().from(discountCodes).where(eq(discountCodes.id, codeId)).for('no key update')

function stateAt({ startsAt, endsAt, stoppedAt }: Code, now: Date): CodeState {
  if (stoppedAt) return 'stopped'
  if (endsAt && endsAt <= now) return 'over'
  if (startsAt && startsAt > now) return 'planned'
  return 'running'
}

async function readRevenues(db: Database) {
  const { rows } = await db.execute<{ id: string; revenue: number }>(sql`
    select ${codeUses.codeId} as id, sum(${payments.amount} - ${payments.lostAmount} - coalesce((
      select sum(${refunds.amount}) from ${refunds} where ${refunds.paymentIntentId} = ${payments.paymentIntentId}
        and ${refunds.status} not in ${failedRefundStatuses}), 0))::float8 as revenue
    from ${codeUses} join ${orders} on ${orders.id} = ${codeUses.checkoutId}
      join ${invoices} on ${invoices.subscriptionId} = ${orders.subscriptionId}
      join ${payments} on ${payments.invoiceId} = ${invoices.id} group by 1`)
  return new Map(rows.map(({ id, revenue }) => [id, revenue]))
}
