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
import {
  createInvoice,
  emitInvoiceCreated,
  emitInvoiceFinalized,
  finalizeInvoice,
  type InvoiceRequest,
  nextAttempt,
  periodEntries,
} from './bills.ts'
import { genericDecline } from './cards.ts'
import { markUncollectible, stopCollecting, updateSubscription, voidInvoice } from './invoices.ts'
import { confirm, decline, finishPayment } from './payments.ts'

type SubscriptionInput = {
  customer: Customer
  price: Price
  coupons?: Coupon[]
  applyParams: (subscription: Subscription) => Subscription
}

export async function startSubscription(work: Work, { customer, price, coupons = [], applyParams }: SubscriptionInput) {
  if (!price.recurring) throw invalid('The price must be recurring.', 'items[0][price]')
  const firstPeriodEnd = periodEnd(work.now, price.recurring, work.now)
  const draft = applyParams(newSubscription({ now: work.now, customer, price, end: firstPeriodEnd }))
  const discounts: string[] = []
  for (const coupon of coupons) {
    const parents = { customer: customer.id, subscription: draft.id }
    discounts.push((await work.insert(newDiscount(work.now, coupon, parents))).id)
  }
  const { invoice, intent, subscription } = await createInvoice(work, {
    subscription: { ...draft, discounts },
    reason: 'subscription_create',
    entries: periodEntries(draft, { start: work.now, end: firstPeriodEnd }),
  })
  const isIncomplete = intent !== null && draft.collection_method === 'charge_automatically'
  const started = await work.insert(isIncomplete ? subscription : { ...subscription, status: 'active' as const })
  work.emit('customer.subscription.created', started)
  emitInvoiceCreated(work, invoice, intent)
  return started
}

export async function runDueSubscription(work: Work, subscription: Subscription) {
  const collectionResumesAt = subscription.pause_collection?.resumes_at ?? Infinity
  if (collectionResumesAt <= work.now)
    return updateSubscription(work, subscription, { ...subscription, pause_collection: null })
  if (subscription.status === 'incomplete') return expireUnlessPaid(work, subscription)
  if (subscription.cancel_at !== null && subscription.cancel_at <= work.now) {
    return endSubscription(work, subscription, 'cancellation_requested')
  }
  if (subscription.status === 'past_due') return endSubscription(work, subscription, 'payment_failed')
  return renewSubscription(work, subscription)
}

export function nextPeriod(before: Subscription) {
  const { end: start, step } = periodOf(before)
  const period = { start, end: periodEnd(before.billing_cycle_anchor, step, start) }
  // A trial ends with its period.
  const status = before.status === 'trialing' ? ('active' as const) : before.status
  return { period, subscription: { ...withPeriod(before, period.start, period.end), status } }
}

async function renewSubscription(work: Work, before: Subscription) {
  const { subscription, period } = nextPeriod(before)
  await updateAndCharge(work, before, subscription, {
    reason: 'subscription_cycle',
    entries: periodEntries(subscription, period),
  })
}

export async function updateAndCharge(
  work: Work,
  before: Subscription,
  after: Subscription,
  invoiceRequest: Omit<InvoiceRequest, 'subscription'>,
) {
  const { invoice, intent, subscription } = await createInvoice(work, { ...invoiceRequest, subscription: after })
  await updateSubscription(work, before, subscription)
  emitInvoiceCreated(work, invoice, intent)
  if (intent) await collectUnlessPaused(work, invoice, subscription)
}

async function collectUnlessPaused(work: Work, invoice: Invoice, { pause_collection: pause }: Subscription) {
  if (pause) return skipCollection(work, invoice, pause.behavior)
  if (invoice.collection_method === 'charge_automatically') await collectInvoice(work, invoice)
}

async function skipCollection(work: Work, invoice: Invoice, behavior: PausedCollection['behavior']) {
  if (behavior === 'void') await voidInvoice(work, invoice)
  else await markUncollectible(work, invoice)
}

export async function runDueInvoice(work: Work, invoice: Invoice) {
  if (invoice.status === 'draft') return finalizeDraft(work, invoice)
  return invoice.collection_method === 'send_invoice' ? markOverdue(work, invoice) : collectInvoice(work, invoice)
}

/** Stripe finalizes and charges a draft even if the subscription has ended. */
export async function finalizeDraft(work: Work, draft: Invoice): Promise<Invoice> {
  const customer = await work.get('customer', draft.customer)
  if ('deleted' in customer) return work.save({ ...draft, auto_advance: false, automatically_finalizes_at: null })
  const subscription = await work.get('subscription', draft.parent.subscription_details.subscription)
  if (subscription.pause_collection?.behavior === 'keep_as_draft')
    return work.update(draft, { ...draft, auto_advance: false, automatically_finalizes_at: null })
  const { invoice, intent } = await finalizeInvoice(work, draft, (finalized) => work.save(finalized))
  emitInvoiceFinalized(work, invoice, intent)
  if (intent && draft.auto_advance) await collectUnlessPaused(work, invoice, subscription)
  return work.get('invoice', invoice.id)
}

async function markOverdue(work: Work, open: Invoice) {
  const invoice = await work.save({ ...open, $sandbox: { ...open.$sandbox, isOverdue: true } })
  work.emit('invoice.overdue', invoice)
  const subscription = await work.get('subscription', invoice.parent.subscription_details.subscription)
  if (subscription.status === 'active')
    await updateSubscription(work, subscription, { ...subscription, status: 'past_due' })
}

async function collectInvoice(work: Work, open: Invoice) {
  const subscription = await work.get('subscription', open.parent.subscription_details.subscription)
  const nextAttemptAt = subscription.ended_at === null ? nextAttempt(work, open) : null
  const invoice = await work.save({ ...open, next_payment_attempt: nextAttemptAt })
  await payWithStoredCard(work, invoice, subscription)
  const after = await work.get('invoice', invoice.id)
  if (after.status !== 'open' || after.next_payment_attempt !== null) return
  const unpaid = await work.get('subscription', subscription.id)
  if (unpaid.ended_at !== null) return
  if (work.quirks.afterRetries === 'cancel') await endSubscription(work, unpaid, 'payment_failed')
  if (work.quirks.afterRetries === 'unpaid') await updateSubscription(work, unpaid, { ...unpaid, status: 'unpaid' })
}

export async function storedCard(work: Work, subscription: Subscription): Promise<PaymentMethod | undefined> {
  const customer = await work.customer(subscription.customer)
  const id = subscription.default_payment_method ?? customer.invoice_settings.default_payment_method
  return id === null ? undefined : work.find('payment_method', id)
}

async function payWithStoredCard(work: Work, invoice: Invoice, subscription: Subscription) {
  const intent = await requireIntentOf(work, invoice)
  const method = await storedCard(work, subscription)
  if (!method) {
    const attempted = await work.save({ ...invoice, attempted: true, attempt_count: invoice.attempt_count + 1 })
    work.emit('invoice.payment_failed', attempted)
    if (subscription.ended_at !== null) return
    await updateSubscription(work, subscription, { ...subscription, status: 'past_due' })
    return
  }
  if (subscription.$sandbox.fail_next_renewal) {
    await work.save({ ...subscription, $sandbox: { fail_next_renewal: false } })
    await decline(work, intent, method, genericDecline)
    return
  }
  await confirm(work, intent, method, 'immediately')
}

/** Undefined if nothing was due. */
export async function intentOf(work: Work, invoice: Invoice) {
  const [first] = await work.all('invoice_payment', { invoice: invoice.id })
  return first?.payment.type === 'payment_intent' ? work.get('payment_intent', first.payment.payment_intent) : undefined
}

async function requireIntentOf(work: Work, invoice: Invoice) {
  const intent = await intentOf(work, invoice)
  if (!intent) throw new Error(`${invoice.id} has no payment`)
  return intent
}

export async function finishPendingPayment(work: Work, invoice: Invoice): Promise<Invoice> {
  const intent = await intentOf(work, invoice)
  if (intent) await finishPayment(work, intent)
  return work.get('invoice', invoice.id)
}

export async function payInvoice(work: Work, invoice: Invoice, givenCard: PaymentMethod | undefined) {
  if (invoice.status === 'paid') throw invalid('Invoice is already paid')
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible')
    throw invalid('This invoice can no longer be paid')
  const subscription = await work.get('subscription', invoice.parent.subscription_details.subscription)
  const method = givenCard ?? (await storedCard(work, subscription))
  if (!method) {
    throw invalid('There is no default_payment_method set on this Customer, Subscription or Invoice.')
  }
  const outcome = await confirm(work, await requireIntentOf(work, invoice), method, 'immediately')
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

async function finishLatestPayment(work: Work, { id, latest_invoice: latest }: Subscription): Promise<Subscription> {
  if (latest) await finishPendingPayment(work, await work.get('invoice', latest))
  return work.get('subscription', id)
}

async function expireUnlessPaid(work: Work, before: Subscription) {
  const current = await finishLatestPayment(work, before)
  if (current.status === 'incomplete') await expireSubscription(work, current)
}

export async function cancelSubscription(work: Work, before: Subscription): Promise<Subscription> {
  const current = await finishLatestPayment(work, before)
  const subscription = { ...current, cancellation_details: before.cancellation_details }
  if (current.status === 'incomplete') return expireSubscription(work, subscription)
  const withoutSchedule = { ...subscription, cancel_at: null, cancel_at_period_end: false }
  return endSubscription(work, withoutSchedule, 'cancellation_requested')
}

async function expireSubscription(work: Work, subscription: Subscription): Promise<Subscription> {
  if (subscription.latest_invoice) {
    const invoice = await work.get('invoice', subscription.latest_invoice)
    if (invoice.status === 'open') await voidInvoice(work, invoice)
  }
  return updateSubscription(work, subscription, {
    ...subscription,
    status: 'incomplete_expired',
    canceled_at: work.now,
    ended_at: work.now,
  })
}

async function endSubscription(work: Work, before: Subscription, reason: CancellationReason): Promise<Subscription> {
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
