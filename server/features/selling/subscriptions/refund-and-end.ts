import { and, eq, not } from 'drizzle-orm'
import { hasEnded } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { personOf } from '#server/database/people.ts'
import { hasEndedPurchase, purchases } from '#server/database/schema.ts'
import { Refusal } from '#server/errors.ts'
import { isUnknownToStripe } from '#server/gateways/stripe.ts'
import { findPurchase, type PurchaseRow } from '../purchases/purchases.ts'
import type { Cancellation } from './cancellation.ts'
import { unrefundedInWords } from './unrefunded.ts'

type RefundAndEndDeps = Pick<Context, 'db' | 'audit'> & {
  cancellation: Pick<Cancellation, 'endAndRefundLatest'>
  /** Ends a purchase without a refund. */
  end(actor: Actor, id: string): Promise<void>
}

type Buyer = { userId: string; productId: string }

export type RefundAndEnd = {
  /**
   * Ends every running purchase of the product and refunds the latest payment of each. Returns sentences about what was
   * not refunded, or null. Throws if a purchase could not be ended.
   */
  refundAndEnd(actor: Actor, buyer: Buyer): Promise<string | null>
  /** Goes on after one buyer's failure. Returns the sentences, each after the buyer's email address. */
  refundAndEndAll(actor: Actor, buyers: Buyer[]): Promise<string[]>
}

export function createRefundAndEnd({ db, audit, cancellation, end }: RefundAndEndDeps): RefundAndEnd {
  async function refundAndEndPurchase(actor: Actor, purchase: PurchaseRow): Promise<string[]> {
    const { id, userId, stripeSubscriptionId, bookedAs } = purchase
    if (!stripeSubscriptionId) {
      await end(actor, id)
      return bookedAs === 'gift' ? [] : ['One purchase was booked by hand, so nothing was refunded for it.']
    }
    let sentences: string[]
    try {
      const unrefunded = await cancellation.endAndRefundLatest(id)
      sentences = unrefundedInWords(unrefunded).map((sentence) => `${sentence}.`)
    } catch (error) {
      if (isUnknownToStripe(error)) {
        await end(actor, id)
        return ['Stripe doesn’t know one subscription, so nothing was refunded for it.']
      }
      const { status } = await findPurchase(db, id)
      if (!(error instanceof Refusal) || !hasEnded(status)) throw error
      sentences = [`The refund failed: ${error.message}`]
    }
    const { refundedAmount } = await findPurchase(db, id)
    const amount = refundedAmount - purchase.refundedAmount || undefined
    const detail = { when: 'now', amount }
    await audit.record(db, actor, { action: 'purchase.cancel', subject: id, aboutId: userId, detail })
    return sentences
  }

  async function refundAndEnd(actor: Actor, { userId, productId }: Buyer) {
    const isOfBuyer = and(eq(purchases.userId, userId), eq(purchases.productId, productId))
    const running = await db
      .select()
      .from(purchases)
      .where(and(isOfBuyer, not(hasEndedPurchase)))
    const sentences: string[] = []
    for (const purchase of running) sentences.push(...(await refundAndEndPurchase(actor, purchase)))
    return sentences.length > 0 ? ['The subscription has ended.', ...sentences].join(' ') : null
  }

  return {
    refundAndEnd,

    async refundAndEndAll(actor, buyers) {
      const problems: string[] = []
      const failures: unknown[] = []
      for (const buyer of buyers) {
        const problem = await refundAndEnd(actor, buyer).catch((error: unknown) => {
          if (error instanceof Refusal) return `The subscription has not ended. ${error.message}`
          failures.push(error)
          return null
        })
        if (problem) problems.push(`${(await personOf(db, buyer.userId)).email}: ${problem}`)
      }
      if (failures.length > 0) throw new AggregateError(failures, `${failures.length} buyers were not refunded`)
      return problems
    },
  }
}
