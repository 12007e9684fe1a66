import { and, desc, eq, gt, inArray, isNotNull, isNull, lt, notInArray, or, sql } from 'drizzle-orm'
import { addMonths } from '#contract/billing-types.ts'
import { keptSince, retention } from '#contract/retention.ts'
import { afterDiscount, type Charges } from '#contract/selling/charges.ts'
import { leastCharge, type WantedCode } from '#contract/selling/codes.ts'
import { type BillingType, billingTypes, type CodeState } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { codeUses, discountCodes, purchases, users } from '#server/database/schema.ts'
import { conflict, invalid, notFound, Refusal } from '#server/errors.ts'
import type { Prices } from '../prices/prices.ts'

export type Code = typeof discountCodes.$inferSelect

/** Who pays: an account, or a guest by their address, which may not be known yet. */
type Buyer = { userId: string | null; email: string | null }
type Order = { productId: string; billingType: BillingType; price: number; buyer: Buyer }

/** One answer to all of them: trying does not show which codes there are. */
const sentence = 'We can’t apply this code. It may be misspelled or over, or for another plan or new customers only.'
const refused = () => new Refusal(409, 'code-refused', sentence, { fields: { code: sentence } })

const heldFor = 15 * 60_000

const written = (typed: string) => typed.normalize('NFKC').replaceAll(/\s/g, '').toUpperCase()

export type Codes = ReturnType<typeof createCodes>

/** Discount codes are the shop's; at Stripe, each is a coupon, which does the arithmetic. */
export function createCodes({ db, now, stripe }: Context) {
  const takenOf = (tx: Database | Transaction, codeId: string, but: string[]) =>
    tx.$count(
      codeUses,
      and(
        eq(codeUses.codeId, codeId),
        or(isNotNull(codeUses.usedAt), gt(codeUses.heldUntil, now())),
        notInArray(codeUses.checkoutId, but),
      ),
    )

  async function hasBought({ userId, email }: Buyer) {
    const isTheirs = [...(userId ? [eq(users.id, userId)] : []), ...(email ? [eq(users.email, email)] : [])]
    if (isTheirs.length === 0) return false
    const [found] = await db
      .select({ id: purchases.id })
      .from(purchases)
      .innerJoin(users, eq(users.id, purchases.userId))
      .where(and(or(...isTheirs), sql`coalesce(${purchases.endedBecause}, '') not in ('duplicate', 'no_seat')`))
      .limit(1)
    return found !== undefined
  }

  const isFree = async (tx: Database | Transaction, { id, maxUses }: Code, but: string[]) =>
    maxUses === null || (await takenOf(tx, id, but)) < maxUses

  return {
    /** What the order costs with a code, if it can be used for it. The holds of `own` checkouts don't count against it. */
    async apply(typed: string, { productId, billingType, price, buyer }: Order, own: string[] = []) {
      const [code] = await db
        .select()
        .from(discountCodes)
        .where(eq(discountCodes.code, written(typed)))
      if (
        !code ||
        stateAt(code, now()) !== 'running' ||
        (code.productId && code.productId !== productId) ||
        (code.billingType && code.billingType !== billingType) ||
        afterDiscount(price, code) < leastCharge ||
        (code.newOnly && (await hasBought(buyer))) ||
        !(await isFree(db, code, own))
      )
        throw refused()
      return { code, charges: chargesOf(price, code, billingType, now()) }
    },

    /** For 15 minutes. A buyer has one hold: those of their earlier checkouts end. */
    async hold({ id: codeId }: Code, checkoutId: string, own: string[]) {
      await db.transaction(async (tx) => {
        const [code] = await lock(tx, codeId)
        if (!code || code.stoppedAt || !(await isFree(tx, code, own))) throw refused()
        const isOwn = and(inArray(codeUses.checkoutId, own), isNull(codeUses.usedAt))
        await tx.update(codeUses).set({ heldUntil: now() }).where(isOwn)
        await tx.insert(codeUses).values({ checkoutId, codeId, heldUntil: new Date(now().getTime() + heldFor) })
      })
    },

    /** The buyer presses Pay, or comes back: if another has the use by now, they pay late, and keep the discount. */
    async keep(checkoutId: string) {
      await db.transaction(async (tx) => {
        const [use] = await tx.select().from(codeUses).where(eq(codeUses.checkoutId, checkoutId))
        const [code] = use ? await lock(tx, use.codeId) : []
        if (!code || !(await isFree(tx, code, [checkoutId]))) return
        const heldUntil = new Date(now().getTime() + heldFor)
        await tx
          .update(codeUses)
          .set({ heldUntil })
          .where(and(eq(codeUses.checkoutId, checkoutId), isNull(codeUses.usedAt)))
      })
    },

    /** The money has arrived. In turn with those who hold one, so that late is late. */
    async use(tx: Transaction, checkoutId: string) {
      const isThis = eq(codeUses.checkoutId, checkoutId)
      const [held] = await tx.select().from(codeUses).where(isThis)
      if (!held) return
      await lock(tx, held.codeId)
      await tx.update(codeUses).set({ usedAt: now() }).where(isThis)
    },

    async ofCheckout(checkoutId: string): Promise<string | undefined> {
      const [use] = await db.select().from(codeUses).where(eq(codeUses.checkoutId, checkoutId))
      return use?.codeId
    },

    /** Someone deleted its coupon at Stripe. */
    renew: (code: Code) => stripe.coupons.ensure(code),

    async forgetUnused() {
      const before = keptSince(now(), retention.unpaidCheckouts)
      await db.delete(codeUses).where(and(isNull(codeUses.usedAt), lt(codeUses.heldUntil, before)))
    },
  }
}

/** Stripe's rule: a coupon for some months reduces every invoice that is made before they are over. */
function chargesOf(price: number, code: Code, billingType: BillingType, now: Date): Charges {
  const step = billingType === 'yearly' ? 12 : 1
  const end = code.months ?? Infinity
  const reduced = afterDiscount(price, code)
  return {
    billingType,
    today: reduced,
    next: { amount: step < end ? reduced : price, at: addMonths(now, step) },
    later: step < end && end < Infinity ? { amount: price, at: addMonths(now, step * Math.ceil(end / step)) } : null,
  }
}

export function createCodeAdministration(context: Context, prices: Prices) {
  const { db, now, stripe, audit, catalog } = context
  return {
    async list() {
      const isUsed = isNotNull(codeUses.usedAt)
      const counts = await db
        .select({
          codeId: codeUses.codeId,
          used: sql<number>`(count(*) filter (where ${isUsed}))::int`,
          late: sql<number>`(count(*) filter (where ${codeUses.usedAt} > ${codeUses.heldUntil}))::int`,
          held: sql<number>`(count(*) filter (where not (${isUsed}) and ${codeUses.heldUntil} > ${now()}))::int`,
        })
        .from(codeUses)
        .groupBy(codeUses.codeId)
      const rows = await db.select().from(discountCodes).orderBy(desc(discountCodes.createdAt))
      return rows.map(({ stoppedAt, ...row }) => {
        const { used, late, held } = counts.find(({ codeId }) => codeId === row.id) ?? none
        const isUsedUp = row.maxUses !== null && used >= row.maxUses
        const state = stateAt({ ...row, stoppedAt }, now())
        const { slug } = catalog.byId(row.productId ?? '') ?? catalog.first()
        const query = { product: slug, billing: row.billingType ?? 'monthly', code: row.code }
        return {
          ...row,
          state: state === 'running' && isUsedUp ? ('used up' as const) : state,
          used,
          late,
          held,
          link: `${context.config.publicUrl}/checkout?${new URLSearchParams(query)}`,
        }
      })
    },

    /** Stripe's coupon first, then the row: a code that is known can always be used. */
    async add(actor: Actor, { from, until, ...wish }: WantedCode) {
      const { percentOff = null, amountOff = null, months = null, productId = null } = wish
      if ((percentOff === null) === (amountOff === null))
        throw invalid('percentOff', 'Please enter a percentage or an amount')
      const sold = catalog.onSale().filter(({ id }) => !productId || id === productId)
      if (sold.length === 0) throw notFound('Product')
      const plans = wish.billingType ? [wish.billingType] : billingTypes
      for (const { id } of sold)
        for (const plan of plans) {
          const { amount } = await prices.of(id, plan)
          if (afterDiscount(amount, { percentOff, amountOff }) < leastCharge)
            throw invalid(
              percentOff === null ? 'amountOff' : 'percentOff',
              `At least $1.00 must remain to pay, on the ${plan} plan, too`,
            )
        }
      if (until && until <= (from ?? now())) throw invalid('until', 'This day is over, or before the first')
      const row: Code = {
        id: crypto.randomUUID(),
        code: wish.code,
        percentOff,
        amountOff,
        months,
        productId,
        billingType: wish.billingType ?? null,
        startsAt: from ? new Date(from.setUTCHours(0, 0, 0, 0)) : null,
        endsAt: until ?? null,
        maxUses: wish.maxUses ?? null,
        newOnly: wish.newOnly ?? false,
        createdAt: now(),
        stoppedAt: null,
      }
      if (await db.$count(discountCodes, eq(discountCodes.code, row.code)))
        throw invalid('code', 'There is a code of this name already')
      await stripe.coupons.ensure(row)
      await db.transaction(async (tx) => {
        await tx.insert(discountCodes).values(row)
        await audit.record(tx, actor, {
          action: 'code.add',
          subject: row.code,
          detail: { percentOff, amountOff, months, maxUses: row.maxUses },
        })
      })
    },

    async stop(actor: Actor, id: string) {
      await db.transaction(async (tx) => {
        const [code] = await lock(tx, id)
        if (!code) throw notFound('Code')
        if (code.stoppedAt) throw conflict('already-handled', 'This code has been stopped already')
        await tx.update(discountCodes).set({ stoppedAt: now() }).where(eq(discountCodes.id, id))
        await audit.record(tx, actor, { action: 'code.stop', subject: code.code })
      })
    },
  }
}

const none = { used: 0, late: 0, held: 0 }

/** Those who hold or use it take turns. */
const lock = (tx: Transaction, codeId: string) =>
  tx.select().from(discountCodes).where(eq(discountCodes.id, codeId)).for('update')

function stateAt({ startsAt, endsAt, stoppedAt }: Code, now: Date): CodeState {
  if (stoppedAt) return 'stopped'
  if (endsAt && endsAt <= now) return 'over'
  return startsAt && startsAt > now ? 'planned' : 'running'
}
