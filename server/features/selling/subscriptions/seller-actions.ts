import { dayMs } from '#contract/dates.ts'
import { exactDollars } from '#contract/money.ts'
import { hasEnded, isExtendable } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { conflict, invalid } from '#server/errors.ts'
import type { Bookings } from '../bookings/bookings.ts'
import { readPaidHistory, refundedForUnusedTerm } from '../invoices/invoices.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Notices } from '../notices/notices.ts'
import { type AccessEffects, deletePurchase, findPurchase, type PurchaseRow } from '../purchases/purchases.ts'
import { unusedShare } from '../refunds/refunds.ts'
import type { Cancellation, ExpectedEnd } from './cancellation.ts'
import type { MissingPurchases } from './missing.ts'
import { createRefundAndEnd, type RefundAndEnd } from './refund-and-end.ts'
import type { Sync } from './sync.ts'

type SellerActionDeps = Pick<Context, 'db' | 'now' | 'stripe' | 'audit' | 'runExclusive'> & {
  ledger: Pick<Ledger, 'recordEnd'>
  access: Pick<AccessEffects, 'purchasesChanged'>
  bookings: Pick<Bookings, 'end' | 'extend'>
  notices: Pick<Notices, 'emailExtended'>
  cancellation: Pick<Cancellation, 'forBuyer' | 'endAndRefundLatest'>
  missingPurchases: Pick<MissingPurchases, 'end'>
  sync: Sync
}
/** `endsAt` and `refund` are for a cancellation at the period's end, `rest` is the refund for ending now; in cents. */
type CancellationPreview = { endsAt: Date | null; refund: number; rest: number; isMissing: boolean }

export type SellerActions = RefundAndEnd & {
  preview(id: string): Promise<CancellationPreview>
  /** With `refund`, first refunds that amount for the unused days, which must equal the preview's. */
  cancel(actor: Actor, id: string, refund: number | undefined): Promise<void>
  /** Refuses a past-due or paused subscription, which would end immediately. */
  cancelAtPeriodEnd(actor: Actor, id: string, expectedEnd?: ExpectedEnd): Promise<void>
  resume(actor: Actor, id: string): Promise<void>
  /** Invoices and payments of a deleted purchase stay in the books. */
  remove(actor: Actor, id: string): Promise<void>
  /** Moves the next payment, or the end, free of charge. */
  extend(actor: Actor, id: string, until: Date): Promise<void>
}

/** Stripe moves a payment by two years at most. */
const mostExtensionDays = 730

export function createSellerActions(deps: SellerActionDeps): SellerActions {
  const { db, now, stripe, audit, runExclusive } = deps
  const { ledger, access, bookings, notices, cancellation, missingPurchases, sync } = deps
  const auditSubject = ({ id, userId }: PurchaseRow) => ({ subject: id, aboutId: userId })

  async function endAtStripe({ stripeSubscriptionId, status }: PurchaseRow) {
    if (!stripeSubscriptionId || hasEnded(status)) return
    // Syncs first, because a cancellation may have been undone at Stripe a moment ago.
    await sync(stripeSubscriptionId)
    await stripe.subscriptions.cancelNow(stripeSubscriptionId)
    await sync(stripeSubscriptionId)
  }

  /** Called before the subscription ends, so that a refused refund changes nothing. Idempotent. */
  async function refundUnused(subscriptionId: string, previewedAmount: number) {
    const unused = unusedShare(await stripe.subscriptions.read(subscriptionId), now())
    if (!unused) throw conflict('nothing-to-refund', 'Nothing can be refunded for the rest of this period')
    const decideAmount = async () => {
      const subscription = await stripe.subscriptions.read(subscriptionId)
      const payment = subscription.payments.find(({ paymentIntentId }) => paymentIntentId === unused.paymentIntentId)
      const wasInterruptedAfterRefund = payment !== undefined && refundedForUnusedTerm(payment) > 0
      if (wasInterruptedAfterRefund) return 0
      const amount = unusedShare(subscription, now())?.amount ?? 0
      if (amount === previewedAmount) return amount
      await sync(subscriptionId)
      throw conflict('changed-meanwhile', `The rest is ${exactDollars(amount)} by now. Please look again.`)
    }
    await stripe.payments.refund(unused.paymentIntentId, decideAmount, { forUnusedTerm: true })
  }

  const auditCancellation = (
    tx: Database | Transaction,
    actor: Actor,
    { id, userId }: PurchaseRow,
    detail: { when: string; amount?: number | undefined },
  ) => audit.record(tx, actor, { action: 'purchase.cancel', subject: id, aboutId: userId, detail })

  async function cancel(actor: Actor, id: string, refund: number | undefined) {
    const purchase = await findPurchase(db, id)
    const { status, stripeSubscriptionId: subscriptionId } = purchase
    if (status === 'cancelled') return
    if (hasEnded(status)) throw conflict('not-active', 'Only an active purchase can be cancelled')
    if (refund && !subscriptionId)
      throw conflict('booked-by-hand', 'This purchase was booked by hand, so there’s no payment to refund')
    if (refund && subscriptionId) await runExclusive(subscriptionId, () => refundUnused(subscriptionId, refund))
    await endAtStripe(purchase)
    await db.transaction(async (tx) => {
      await bookings.end(tx, id)
      await missingPurchases.end(tx, id)
      await auditCancellation(tx, actor, purchase, { when: 'now', amount: refund })
    })
  }

  return {
    cancel,

    ...createRefundAndEnd({ db, audit, cancellation, end: (actor, id) => cancel(actor, id, undefined) }),

    async preview(id) {
      const purchase = await findPurchase(db, id)
      if (purchase.missingSince) return { endsAt: null, refund: 0, rest: 0, isMissing: true }
      const atPeriodEnd = await cancellation.forBuyer.preview(id)
      const unused = unusedShare(await readPaidHistory(db, purchase), now())
      return { ...atPeriodEnd, rest: unused?.amount ?? 0, isMissing: false }
    },

    async cancelAtPeriodEnd(actor, id, expectedEnd) {
      const purchase = await findPurchase(db, id)
      if (purchase.status === 'pending_cancel') return
      if (purchase.status !== 'active')
        throw conflict('not-active', 'Only an active purchase can be cancelled at the end of its period')
      await cancellation.forBuyer.cancel(id, expectedEnd)
      const { endedAt } = await findPurchase(db, id)
      await auditCancellation(db, actor, purchase, { when: endedAt ? 'now' : 'period_end' })
    },

    async resume(actor, id) {
      const purchase = await findPurchase(db, id)
      await cancellation.forBuyer.resume(id)
      await audit.record(db, actor, { action: 'purchase.resume', subject: id, aboutId: purchase.userId })
    },

    async remove(actor, id) {
      await endAtStripe(await findPurchase(db, id))
      await db.transaction(async (tx) => {
        const removed = await deletePurchase(tx, id)
        if (!removed) return
        await ledger.recordEnd(tx, removed, 'deleted')
        await access.purchasesChanged(tx, removed.userId)
        const { bookedBecause: _, ...detail } = removed
        await audit.record(tx, actor, { action: 'purchase.delete', ...auditSubject(removed), detail })
      })
    },

    async extend(actor, id, until) {
      const purchase = await findPurchase(db, id)
      const { stripeSubscriptionId: subscriptionId } = purchase
      assertValidExtension(until, purchase, now())
      if (subscriptionId)
        await runExclusive(subscriptionId, async () => {
          if (!isExtendable(await findPurchase(db, id)))
            throw conflict('not-active', 'Only an active subscription can be extended')
          await stripe.subscriptions.extend(subscriptionId, until, `extend-${subscriptionId}-${until.getTime()}`)
          await sync(subscriptionId)
        })
      await db.transaction(async (tx) => {
        if (!subscriptionId) await bookings.extend(tx, id, until)
        const detail = { until: until.toISOString() }
        await audit.record(tx, actor, { action: 'purchase.extend', ...auditSubject(purchase), detail })
        await notices.emailExtended(tx, purchase, until)
      })
    },
  }
}

function assertValidExtension(until: Date, { currentPeriodEnd, endsAt }: PurchaseRow, now: Date) {
  if (until <= (endsAt ?? currentPeriodEnd ?? now))
    throw invalid('until', 'Please choose a later day than the present one')
  if (until.getTime() > now.getTime() + mostExtensionDays * dayMs) throw invalid('until', 'Two years from now at most')
}
