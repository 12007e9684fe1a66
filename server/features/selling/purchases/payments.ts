import { eq } from 'drizzle-orm'
import type { ParsedInputOf } from '#contract/endpoint.ts'
import { exactDollars } from '#contract/money.ts'
import { type purchasesAdmin, refundReasons } from '#contract/selling/purchases-admin.ts'
import { isLive } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { purchases } from '#server/database/schema.ts'
import { conflict, notFound } from '#server/errors.ts'
import { type Documents, type PaidHistory, readPaidHistory } from '../invoices/invoices.ts'
import type { Orders } from '../orders/orders.ts'
import { findPurchase, type PurchaseRow } from './list.ts'
import type { Notices } from './notices.ts'
import { creditedOf, refundableAmount } from './refundable.ts'
import { isPastDue, moneyIsBack } from './state.ts'
import type { Sync } from './sync.ts'

type Others = { orders: Orders; sync: Sync }
type Refund = Omit<ParsedInputOf<typeof purchasesAdmin.adminRefund>, 'id'>

export function createInvoices({ db }: Pick<Context, 'db'>, documents: Documents) {
  return {
    async list(userId: string, id: string) {
      await findPurchase(db, id, userId)
      return documents.listOf([id])
    },

    async latest(userId: string, id: string) {
      const { paidThrough } = await findPurchase(db, id, userId)
      if (paidThrough === 'hand')
        throw conflict('booked-by-hand', 'There is no invoice for this purchase: it was not paid through this shop')
      return documents.latestOf(id)
    },

    open: documents.openMailed,
    linksOf: documents.linksOf,

    async summary(rows: PurchaseRow[]) {
      const ids = rows.map(({ id }) => id)
      const received = await documents.receivedFor(ids)
      const byHand = rows.filter((row) => row.paidThrough === 'hand' && row.bookedAs !== 'gift')
      const refunded = sum(rows, ({ refundedAmount }) => refundedAmount)
      return {
        documents: await documents.listOf(ids),
        paid: Math.max(0, received + sum(byHand, ({ price }) => price) - refunded),
        refunded,
      }
    },
  }
}

/** Another card for a live subscription; an open renewal is charged to it right away. */
export function createCardUpdate({ db, now, stripe, mails, runExclusive }: Context, { orders, sync }: Others) {
  async function subscriptionOf(userId: string, id: string) {
    const { status, stripeSubscriptionId } = await findPurchase(db, id, userId)
    if (!stripeSubscriptionId || !isLive(status))
      throw conflict('no-live-subscription', 'There’s no live subscription to use this card for')
    const order = await orders.ofSubscription(stripeSubscriptionId)
    if (!order) throw notFound('Purchase')
    return { subscriptionId: stripeSubscriptionId, customerId: order.customerId }
  }

  /** What makes it past due. Any other open invoice belongs to a change that may never be. */
  async function owedBy(subscriptionId: string) {
    const answer = await stripe.subscriptions.read(subscriptionId)
    return isPastDue(answer) ? answer.openInvoice : null
  }

  return {
    async begin({ user }: Actor, id: string) {
      const { customerId, subscriptionId } = await subscriptionOf(user.id, id)
      return {
        clientSecret: await stripe.customers.createSetupIntent(customerId),
        confirmWith: (await owedBy(subscriptionId))?.confirmWith ?? null,
      }
    },

    /** Idempotent: the card is the same, and a paid invoice stays paid. */
    async finish({ user }: Actor, id: string, setupIntentId?: string) {
      const { subscriptionId, customerId } = await subscriptionOf(user.id, id)
      if (!setupIntentId) {
        const owed = await owedBy(subscriptionId)
        await sync(subscriptionId)
        return { state: owed ? ('processing' as const) : ('done' as const), confirmWith: owed?.confirmWith ?? null }
      }
      const card = await stripe.customers.storedCard(setupIntentId, customerId)
      if (!card) throw conflict('card-not-saved', 'We couldn’t save the card. Please try again.')
      return runExclusive(subscriptionId, async () => {
        const owed = await owedBy(subscriptionId)
        try {
          const paid = owed ? await stripe.invoices.pay(owed.id, card) : { state: 'done' as const, confirmWith: null }
          // A card that can't pay what is open wouldn't pay the next renewal either: the old one stays.
          if (paid.confirmWith) return paid
          await stripe.subscriptions.useCard(subscriptionId, card)
          await db.update(purchases).set({ cardSavedAt: now() }).where(eq(purchases.id, id))
          // The owner finds out even if someone else is at the keyboard; an address that nobody has proven, once a day.
          const occasion = user.isProven ? setupIntentId : `${user.id} on ${now().toISOString().slice(0, 10)}`
          await mails.sendOnce(`card of ${occasion}`, user.email, 'cardUpdated', { name: user.name })
          return paid
        } finally {
          await sync(subscriptionId)
        }
      })
    },
  }
}

const bankDecides =
  'The buyer disputes this payment, so their bank decides about it. It can only be refunded if the dispute ends in your favor.'

export type Refunds = ReturnType<typeof createRefunds>

export function createRefunds({ db, stripe, audit, runExclusive }: Context, { sync }: Others) {
  async function findInAccount(id: string) {
    const purchase = await findPurchase(db, id)
    if (purchase.formerAccount)
      throw conflict(
        'former-account',
        `This was paid into the shop’s former Stripe account (${purchase.formerAccount}). Refund it there.`,
      )
    return purchase
  }

  return {
    async refundable(id: string) {
      const purchase = await findInAccount(id)
      const history = await readPaidHistory(db, purchase)
      return {
        payments: history.payments.map((payment) => ({
          paymentIntentId: payment.paymentIntentId,
          paidAt: payment.paidAt,
          amount: payment.amount,
          left: payment.isRefundBlocked ? 0 : refundableAmount(history, payment),
          credited: creditedOf(history, payment),
          ends: wouldEnd(history, payment.paymentIntentId),
        })),
        accessUntil: purchase.endedAt ? null : purchase.currentPeriodEnd,
        refundedSoFar: sum(history.payments, ({ refunded }) => refunded),
      }
    },

    /** The latest by default, or what's left of it. Callers say how much they saw as refunded: asking twice makes one refund. */
    async refund(actor: Actor, id: string, { amount: wanted, refundedSoFar, ...how }: Refund) {
      const { stripeSubscriptionId, userId } = await findInAccount(id)
      if (!stripeSubscriptionId)
        throw conflict('booked-by-hand', 'This purchase was booked by hand, so there’s no payment to refund')
      const { reason, keepAccess = false } = how
      await runExclusive(stripeSubscriptionId, async () => {
        const { payments: paid } = await stripe.subscriptions.read(stripeSubscriptionId)
        const intent = how.paymentIntentId ?? paid[0]?.paymentIntentId
        if (!intent || paid.every(({ paymentIntentId }) => paymentIntentId !== intent))
          throw conflict('nothing-to-refund', 'There’s no payment to refund')
        let amount = 0
        const decide = async () => {
          const answer = await stripe.subscriptions.read(stripeSubscriptionId)
          const { payments } = answer
          const payment = payments.find(({ paymentIntentId }) => paymentIntentId === intent)
          if (payment?.isRefundBlocked) throw conflict('refund-refused', bankDecides)
          const left = payment ? refundableAmount(answer, payment) : 0
          if (payment && left === 0 && payment.refunded < payment.amount)
            throw conflict('nothing-to-refund', 'This payment was credited to the year. Refund the year first.')
          if (left === 0) throw conflict('nothing-to-refund', 'This payment has already been refunded')
          const now = sum(payments, ({ refunded }) => refunded)
          if (now !== refundedSoFar) {
            // The dialog shows the books, which are to have it by the next look.
            await sync(stripeSubscriptionId)
            throw conflict(
              'changed-meanwhile',
              `${exactDollars(now)} of this purchase has been refunded by now. Please look again.`,
            )
          }
          if (wanted !== undefined && wanted > left)
            throw conflict('too-much-to-refund', `Only ${exactDollars(left)} of this payment can be refunded`)
          amount = wanted ?? left
          return amount
        }
        await stripe.payments.refund(intent, decide, {
          keepsAccess: keepAccess,
          reason: reason === 'goodwill' ? undefined : reason,
        })
        const detail = { amount, ...(reason && { because: refundReasons[reason] }), ...(keepAccess && { keepAccess }) }
        await audit.record(db, actor, { action: 'purchase.refund', subject: id, aboutId: userId, detail })
        await sync(stripeSubscriptionId)
      })
    },
  }
}

export function createUnpaid(
  { db, stripe, audit, runExclusive }: Context,
  { notices, sync }: Others & { notices: Notices },
) {
  async function owed(id: string) {
    const purchase = await findPurchase(db, id)
    const { stripeSubscriptionId: subscriptionId } = purchase
    const answer = subscriptionId ? await stripe.subscriptions.read(subscriptionId) : null
    if (!answer?.openInvoice || !isPastDue(answer))
      throw conflict('invoice-closed', 'No payment is open for this purchase')
    return { purchase, subscriptionId: answer.id, invoiceId: answer.openInvoice.id }
  }

  return {
    /** With the card on file; a paid invoice stays paid, so asking twice charges once. */
    async retry(actor: Actor, id: string) {
      const { purchase, subscriptionId, invoiceId } = await owed(id)
      return runExclusive(subscriptionId, async () => {
        try {
          const { state, confirmWith } = await stripe.invoices.pay(invoiceId)
          return { state: confirmWith ? ('awaits-bank' as const) : state }
        } finally {
          await audit.record(db, actor, { action: 'purchase.retry', subject: id, aboutId: purchase.userId })
          await sync(subscriptionId)
        }
      })
    },

    async sendLink(actor: Actor, id: string) {
      const { purchase, invoiceId } = await owed(id)
      await db.transaction(async (tx) => {
        await notices.tellUnpaid(tx, purchase, invoiceId)
        await audit.record(tx, actor, { action: 'purchase.pay-link', subject: id, aboutId: purchase.userId })
      })
    },
  }
}

/** Whether all of a payment is what the present period was bought with. */
function wouldEnd(history: PaidHistory, intent: string) {
  const payments = history.payments.map((payment) =>
    payment.paymentIntentId === intent ? { ...payment, refunded: payment.amount } : payment,
  )
  return !history.endedAt && moneyIsBack({ ...history, payments }) === 'refunded'
}

const sum = <Item>(items: Item[], of: (item: Item) => number) => items.reduce((total, item) => total + of(item), 0)
