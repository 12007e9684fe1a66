import { randomUUID } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import * as z from 'zod/mini'
import { email as emailField } from '#contract/fields.ts'
import type { Context } from '#server/context.ts'
import { isOngoingPurchase, purchases, users } from '#server/database/schema.ts'
import type { Codes } from '../codes/codes.ts'
import type { OrderRow, Orders } from '../orders/orders.ts'

type RecoveryDeps = Pick<Context, 'db' | 'stripe' | 'catalog'> & {
  orders: Pick<Orders, 'adopt'>
  codes: Pick<Codes, 'findByCoupons' | 'recordLostUse'>
}

/** Statuses in which Stripe charges or may charge again. */
const chargedStatuses = new Set(['trialing', 'active', 'past_due', 'unpaid', 'paused'])

type Recover = (subscriptionId: string) => Promise<OrderRow | undefined>

/** Recreates a lost order, such as after restoring a backup. Leaves unclear cases to the seller, who can take them over. */
export function createRecovery({ db, stripe, catalog, orders, codes }: RecoveryDeps): Recover {
  return async function recover(subscriptionId) {
    const existing = await stripe.existing.find(subscriptionId)
    // Subscriptions that this shop sold carry its order's id.
    if (!existing?.orderId) return undefined
    const product = catalog.findBySlug(existing.stripeProductId)
    if (!product || !existing.billing || !existing.hasOnePrice) return undefined
    if (!chargedStatuses.has(existing.status)) return undefined
    const email = z.safeParse(emailField, existing.email)
    if (!email.success) return undefined

    const [ongoingPurchase] = await db
      .select({ id: purchases.id })
      .from(purchases)
      .innerJoin(users, eq(users.id, purchases.userId))
      .where(and(eq(users.email, email.data), eq(purchases.productId, product.id), isOngoingPurchase))
    if (ongoingPurchase) return undefined

    const { payments, discounts } = await stripe.subscriptions.read(subscriptionId)
    const [code] = await codes.findByCoupons(discounts.map(({ couponId }) => couponId))
    const order = {
      id: randomUUID(),
      productId: product.id,
      billingType: existing.billing,
      amount: existing.amount,
      email: email.data,
      customerId: existing.customerId,
      subscriptionId,
      paymentIntentId: payments.at(-1)?.paymentIntentId ?? null,
      codeId: code?.id ?? null,
    }
    return db.transaction(async (tx) => {
      const adopted = await orders.adopt(tx, order)
      if (adopted) await codes.recordLostUse(tx, adopted)
      return adopted
    })
  }
}
