import type { Transaction } from '#server/database/connect.ts'
import type { Tax } from '#server/gateways/stripe.ts'
import type { Mails } from '#server/mails/mails.ts'
import { graceEnd } from './entitlement.ts'
import type { PurchaseRow } from './lookup.ts'
import { productName } from './product-name.ts'

type Change = {
  before: PurchaseRow | undefined
  after: PurchaseRow
  to: { email: string; name: string }
  /** The account already existed, and the buyer wasn't logged in. */
  attached: boolean
  /** The latest paid invoice. */
  paidInvoiceId: string | null
  /** The tax inside it. */
  tax?: Tax | null
  /** The buyer ticked the box above the pay button. */
  startNow?: boolean
}

/** What we tell the buyer about a change. It's queued along with the change, so they hear it exactly once. */
export function createNotifications({ mails, supportEmail }: { mails: Mails; supportEmail: string }) {
  return async function notify(tx: Transaction, change: Change) {
    const { before, after, to, attached, paidInvoiceId, tax = null, startNow = false } = change
    const { billingType, amount, status, endsAt, endedBecause, currentPeriodEnd } = after
    const product = productName(after.productId)
    const about = { name: to.name, product }
    const subscription = { ...about, billingType, amount }

    if (endedBecause === 'duplicate' || endedBecause === 'no_seat') {
      const kind = endedBecause === 'duplicate' ? 'duplicateRefunded' : 'seatRefunded'
      if (!before) await mails.send(tx, to.email, kind, subscription)
      return
    }
    if (attached) await mails.send(tx, to.email, 'purchaseAttached', subscription)
    if (after.lastPaidAt && after.lastPaidAt > (before?.lastPaidAt ?? longAgo))
      await mails.send(tx, to.email, 'receipt', {
        ...subscription,
        paidAt: after.lastPaidAt.toISOString(),
        renewsAt: status === 'active' ? (currentPeriodEnd?.toISOString() ?? null) : null,
        purchaseId: after.id,
        invoiceId: paidInvoiceId,
        isFirst: before === undefined,
        startNow,
        tax,
      })
    if (status === 'past_due' && after.dunningStep > (before?.dunningStep ?? 0))
      await mails.send(tx, to.email, 'paymentFailed', {
        ...subscription,
        step: after.dunningStep >= 3 ? 3 : after.dunningStep === 2 ? 2 : 1,
        endsAt: after.pastDueSince ? graceEnd(after.pastDueSince).toISOString() : null,
      })
    if (status === 'pending_cancel' && endsAt && before?.status !== 'pending_cancel')
      await mails.send(tx, to.email, 'subscriptionWillEnd', {
        ...about,
        endsAt: endsAt.toISOString(),
        refund: after.restRefund ?? 0,
      })
    if (before?.status === 'pending_cancel' && status === 'active' && currentPeriodEnd && !endsAt)
      await mails.send(tx, to.email, 'subscriptionResumed', {
        ...subscription,
        renewsAt: currentPeriodEnd.toISOString(),
      })
    if (after.refundedAmount > (before?.refundedAmount ?? 0))
      await mails.send(tx, to.email, 'refunded', {
        ...about,
        amount: after.refundedAmount - (before?.refundedAmount ?? 0),
      })
    if (endedBecause && !before?.endedBecause)
      await mails.send(tx, to.email, 'subscriptionEnded', { ...about, because: endedBecause })
    // What was booked by hand until a day needs no reason to end on it.
    if (status === 'expired' && !endedBecause && before?.status === 'active')
      await mails.send(tx, to.email, 'subscriptionEnded', { ...about, because: 'over' })
    if (after.isDisputed && !before?.isDisputed)
      await mails.send(tx, supportEmail, 'disputeOpened', { ...subscription, email: to.email })
  }
}

const longAgo = new Date(0)
