import { desc, eq, isNotNull, sql } from 'drizzle-orm'
import { afterDiscount } from '#contract/selling/charges.ts'
import { leastCharge, type WantedCode } from '#contract/selling/codes.ts'
import { billingTypes, type CodeState } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { codeUses, discountCodes } from '#server/database/schema.ts'
import { conflict, invalid, notFound } from '#server/errors.ts'
import type { Prices } from '../prices/prices.ts'

export type Code = typeof discountCodes.$inferSelect

/** Codes at the desk: made, stopped and counted. */
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
export const lock = (tx: Transaction, codeId: string) =>
  tx.select().from(discountCodes).where(eq(discountCodes.id, codeId)).for('update')

export function stateAt({ startsAt, endsAt, stoppedAt }: Code, now: Date): CodeState {
  if (stoppedAt) return 'stopped'
  if (endsAt && endsAt <= now) return 'over'
  return startsAt && startsAt > now ? 'planned' : 'running'
}
