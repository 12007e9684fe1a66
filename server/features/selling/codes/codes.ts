import { and, eq, gt, inArray, isNotNull, isNull, lt, notInArray, or, sql } from 'drizzle-orm'
import { addMonths } from '#contract/billing-types.ts'
import { keptSince, retention } from '#contract/retention.ts'
import { afterDiscount, type Charges } from '#contract/selling/charges.ts'
import { leastCharge } from '#contract/selling/codes.ts'
import type { BillingType } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { codeUses, discountCodes, purchases, users } from '#server/database/schema.ts'
import { Refusal } from '#server/errors.ts'
import { type Code, lock, stateAt } from './administration.ts'

/** Discount codes: the seller makes them, buyers use them up. */
export { type Code, createCodeAdministration } from './administration.ts'

/** Who pays: an account, or a guest by their address, which may not be known yet. */
type Buyer = { userId: string | null; email: string | null }
type Order = { productId: string; billingType: BillingType; price: number; buyer: Buyer }

/** One answer to all of them: trying does not show which codes there are. */
const sentence =
  'We can’t apply this code. It may be misspelled or over, or for another plan or new customers only.'
const refused = () => new Refusal(409, 'code-refused', sentence, { fields: { code: sentence } })

/** How long a use is kept for someone who is paying. */
const heldFor = 15 * 60_000

const written = (typed: string) => typed.normalize('NFKC').replaceAll(/\s/g, '').toUpperCase()

export type Codes = ReturnType<typeof createCodes>

/** Discount codes are the shop's; at Stripe, each is a coupon, which does the arithmetic. */
export function createCodes({ db, now, stripe }: Context) {
  /** Paid with it, or at the checkout with it now. */
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
      .where(
        and(or(...isTheirs), sql`coalesce(${purchases.endedBecause}, '') not in ('duplicate', 'no_seat')`),
      )
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
        await tx
          .insert(codeUses)
          .values({ checkoutId, codeId, heldUntil: new Date(now().getTime() + heldFor) })
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

    /** With the checkouts that were never paid. */
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
    later:
      step < end && end < Infinity
        ? { amount: price, at: addMonths(now, step * Math.ceil(end / step)) }
        : null,
  }
}
