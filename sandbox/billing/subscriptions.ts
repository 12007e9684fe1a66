import { periodEnd } from '../basics.ts'
import { Failure, invalid } from '../failure.ts'
import type { PausedCollection } from '../objects/blank.ts'
import { type Coupon, newDiscount, type Price } from '../objects/catalog.ts'
import type { Customer, PaymentMethod } from '../objects/customer.ts'
import type { Invoice } from '../objects/invoice.ts'
import {
  type CancellationReason,
  newSubscription,
  periodOf,
  type Subscription,
  withPeriod,
} from '../objects/subscription.ts'
import type { Work } from '../work.ts'
import { bill, finalize, nextAttempt, periodEntries, tellOfBill, tellOfFinalized } from './bills.ts'
import { genericDecline } from './cards.ts'
import { markUncollectible, stopCollecting, update, voidInvoice } from './invoices.ts'
import { confirm, decline, finishPayment } from './payments.ts'

type SubscriptionInput = {
  customer: Customer
  price: Price
  coupons?: Coupon[]
  change: (subscription: Subscription) => Subscription
}

export async function startSubscription(work: Work, { customer, price, coupons = [], change }: SubscriptionInput) {
  if (!price.recurring) throw invalid('The price must be recurring.', 'items[0][price]')
  const periodEnds = periodEnd(work.now, price.recurring, work.now)
  const draft = change(newSubscription({ now: work.now, customer, price, end: periodEnds }))
  const discounts: string[] = []
  for (const coupon of coupons) {
    const parents = { customer: customer.id, subscription: draft.id }
    discounts.push((await work.insert(newDiscount(work.now, coupon, parents))).id)
  }
  const { invoice, intent, subscription } = await bill(work, {
    subscription: { ...draft, discounts },
    reason: 'subscription_create',
    entries: periodEntries(draft, { start: work.now, end: periodEnds }),
  })
  const isIncomplete = intent !== null && draft.collection_method === 'charge_automatically'
  const started = await work.insert(isIncomplete ? subscription : { ...subscription, status: 'active' as const })
  work.emit('customer.subscription.created', started)
  tellOfBill(work, invoice, intent)
  return started
}

/** Carries out what is due on a subscription: the end of an unpaid start, of paused collection, of a scheduled cancellation or of a period. */
export async function subscriptionDue(work: Work, subscription: Subscription) {
  if ((subscription.pause_collection?.resumes_at ?? Infinity) <= work.now)
    return update(work, subscription, { ...subscription, pause_collection: null })
  if (subscription.status === 'incomplete') return expireUnlessPaid(work, subscription)
  if (subscription.cancel_at !== null && subscription.cancel_at <= work.now) {
    return end(work, subscription, 'cancellation_requested')
  }
  if (subscription.status === 'past_due') return end(work, subscription, 'payment_failed')
  return renew(work, subscription)
}

export function nextPeriod(before: Subscription) {
  const { end: start, step } = periodOf(before)
  const period = { start, end: periodEnd(before.billing_cycle_anchor, step, start) }
  // A trial ends with its period.
  const status = before.status === 'trialing' ? ('active' as const) : before.status
  return { period, subscription: { ...withPeriod(before, period.start, period.end), status } }
}

async function renew(work: Work, before: Subscription) {
  const { subscription, period } = nextPeriod(before)
  await charge(work, before, subscription, {
    reason: 'subscription_cycle',
    entries: periodEntries(subscription, period),
  })
}

export async function charge(
  work: Work,
  before: Subscription,
  after: Subscription,
  owed: Omit<Parameters<typeof bill>[1], 'subscription'>,
) {
  const { invoice, intent, subscription } = await bill(work, { ...owed, subscription: after })
  await update(work, before, subscription)
  tellOfBill(work, invoice, intent)
  if (intent) await collectOrPutAside(work, invoice, subscription)
}

async function collectOrPutAside(work: Work, invoice: Invoice, { pause_collection: pause }: Subscription) {
  if (pause) return putAside(work, invoice, pause.behavior)
  if (invoice.collection_method === 'charge_automatically') await collect(work, invoice)
}

/** Creates the period's invoice without charging, because collection is paused. */
async function putAside(work: Work, invoice: Invoice, behavior: PausedCollection['behavior']) {
  if (behavior === 'void') await voidInvoice(work, invoice)
  else await markUncollectible(work, invoice)
}

/** Carries out what is due on an invoice: the end of its time as a draft, the next attempt, or the day by which it was to be paid. */
export async function invoiceDue(work: Work, invoice: Invoice) {
  if (invoice.status === 'draft') return finalizeDraft(work, invoice)
  return invoice.collection_method === 'send_invoice' ? becomeOverdue(work, invoice) : collect(work, invoice)
}

/** Finalizes and charges a draft, when due or on request. Stripe does so even if the subscription has ended. */
export async function finalizeDraft(work: Work, draft: Invoice): Promise<Invoice> {
  const customer = await work.get('customer', draft.customer)
  if ('deleted' in customer) return work.save({ ...draft, auto_advance: false, automatically_finalizes_at: null })
  const subscription = await work.get('subscription', draft.parent.subscription_details.subscription)
  if (subscription.pause_collection?.behavior === 'keep_as_draft')
    return work.update(draft, { ...draft, auto_advance: false, automatically_finalizes_at: null })
  const { invoice, intent } = await finalize(work, draft, (each) => work.save(each))
  tellOfFinalized(work, invoice, intent)
  if (intent && draft.auto_advance) await collectOrPutAside(work, invoice, subscription)
  return work.get('invoice', invoice.id)
}

async function becomeOverdue(work: Work, open: Invoice) {
  const invoice = await work.save({ ...open, $sandbox: { ...open.$sandbox, isOverdue: true } })
  work.emit('invoice.overdue', invoice)
  const subscription = await work.get('subscription', invoice.parent.subscription_details.subscription)
  if (subscription.status === 'active') await update(work, subscription, { ...subscription, status: 'past_due' })
}

/** The sandbox's own attempt to charge the stored card, at a renewal and on retry days. */
async function collect(work: Work, open: Invoice) {
  const subscription = await work.get('subscription', open.parent.subscription_details.subscription)
  const next = subscription.ended_at === null ? nextAttempt(work, open) : null
  const invoice = await work.save({ ...open, next_payment_attempt: next })
  await payWithStoredCard(work, invoice, subscription)
  const after = await work.get('invoice', invoice.id)
  if (after.status !== 'open' || after.next_payment_attempt !== null) return
  const unpaid = await work.get('subscription', subscription.id)
  if (unpaid.ended_at !== null) return
  if (work.quirks.afterRetries === 'cancel') await end(work, unpaid, 'payment_failed')
  if (work.quirks.afterRetries === 'unpaid') await update(work, unpaid, { ...unpaid, status: 'unpaid' })
}

export async function storedCard(work: Work, subscription: Subscription): Promise<PaymentMethod | undefined> {
  const customer = await work.customer(subscription.customer)
  const id = subscription.default_payment_method ?? customer.invoice_settings.default_payment_method
  return id === null ? undefined : work.find('payment_method', id)
}

async function payWithStoredCard(work: Work, invoice: Invoice, subscription: Subscription) {
  const intent = await payingIntent(work, invoice)
  const method = await storedCard(work, subscription)
  if (!method) {
    const attempted = await work.save({ ...invoice, attempted: true, attempt_count: invoice.attempt_count + 1 })
    work.emit('invoice.payment_failed', attempted)
    if (subscription.ended_at !== null) return
    await update(work, subscription, { ...subscription, status: 'past_due' })
    return
  }
  if (subscription.$sandbox.fail_next_renewal) {
    await work.save({ ...subscription, $sandbox: { fail_next_renewal: false } })
    await decline(work, intent, method, genericDecline)
    return
  }
  await confirm(work, intent, method, 'immediately')
}

/** Returns undefined if nothing was due. */
export async function intentOf(work: Work, invoice: Invoice) {
  const [payment] = await work.all('invoice_payment', { invoice: invoice.id })
  return payment && work.get('payment_intent', payment.payment.payment_intent)
}

async function payingIntent(work: Work, invoice: Invoice) {
  const intent = await intentOf(work, invoice)
  if (!intent) throw new Error(`${invoice.id} has no payment`)
  return intent
}

/** Finishes a payment that is still in progress before a new request acts on the invoice. */
export async function upToDate(work: Work, invoice: Invoice): Promise<Invoice> {
  const intent = await intentOf(work, invoice)
  if (intent) await finishPayment(work, intent)
  return work.get('invoice', invoice.id)
}

/** `POST /v1/invoices/:id/pay`: charges the given card, or the stored one. */
export async function payInvoice(work: Work, invoice: Invoice, given: PaymentMethod | undefined) {
  if (invoice.status === 'paid') throw invalid('Invoice is already paid')
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible')
    throw invalid('This invoice can no longer be paid')
  const subscription = await work.get('subscription', invoice.parent.subscription_details.subscription)
  const method = given ?? (await storedCard(work, subscription))
  if (!method) {
    throw invalid('There is no default_payment_method set on this Customer, Subscription or Invoice.')
  }
  const outcome = await confirm(work, await payingIntent(work, invoice), method, 'immediately')
  if (outcome instanceof Failure) return outcome
  if (outcome.status === 'requires_action') {
    return new Failure(402, {
      type: 'card_error',
      code: 'invoice_payment_intent_requires_action',
      message:
        'This payment requires additional user action before it can be completed successfully. Payment can be completed using the PaymentIntent associated with the invoice.',
      payment_intent: work.present(outcome),
    })
  }
  return work.get('invoice', invoice.id)
}

async function finishPending(work: Work, given: Subscription): Promise<Subscription> {
  if (given.latest_invoice) await upToDate(work, await work.get('invoice', given.latest_invoice))
  return work.get('subscription', given.id)
}

async function expireUnlessPaid(work: Work, given: Subscription) {
  const found = await finishPending(work, given)
  if (found.status === 'incomplete') await expire(work, found)
}

/** Ends the subscription immediately. */
export async function cancel(work: Work, given: Subscription): Promise<Subscription> {
  const found = await finishPending(work, given)
  const subscription = { ...found, cancellation_details: given.cancellation_details }
  if (found.status === 'incomplete') return expire(work, subscription)
  const now = { ...subscription, cancel_at: null, cancel_at_period_end: false }
  return end(work, now, 'cancellation_requested')
}

/** Expires a subscription whose first payment was never made, after 23 hours or when cancelled. */
async function expire(work: Work, subscription: Subscription): Promise<Subscription> {
  const invoice = subscription.latest_invoice && (await work.get('invoice', subscription.latest_invoice))
  if (invoice && invoice.status === 'open') await voidInvoice(work, invoice)
  return update(work, subscription, {
    ...subscription,
    status: 'incomplete_expired',
    canceled_at: work.now,
    ended_at: work.now,
  })
}

async function end(work: Work, before: Subscription, reason: CancellationReason): Promise<Subscription> {
  if (before.latest_invoice) await stopCollecting(work, before.latest_invoice)
  const ended = await work.save({
    ...before,
    status: 'canceled' as const,
    pending_update: null,
    canceled_at: before.canceled_at ?? work.now,
    ended_at: work.now,
    cancellation_details: { ...before.cancellation_details, reason: before.cancellation_details.reason ?? reason },
  })
  work.emit('customer.subscription.deleted', ended)
  return ended
}
