import { day } from '../basics.ts'
import { newPaymentIntent } from '../objects/intent.ts'
import { type Invoice, newInvoice, newInvoicePayment } from '../objects/invoice.ts'
import type { Subscription } from '../objects/subscription.ts'
import { retryDays } from '../quirks.ts'
import type { Work } from '../work.ts'
import { taxFor, taxIdsOf } from './tax.ts'

/** When a failed payment is retried; never, after the last try. */
export function nextAttempt({ now, quirks }: Work, invoice: Invoice): number | null {
  const next = retryDays[quirks.retries].map((days) => invoice.created + days * day).find((at) => at > now)
  return next ?? null
}

type Bill = {
  subscription: Subscription
  reason: Invoice['billing_reason']
  period: Invoice['lines']['data'][number]['period']
}

/** Writes a period's invoice with the payment intent that is to pay it, and links it to the subscription. */
export async function bill(work: Work, { subscription, reason, period }: Bill) {
  const customer = await work.customer(subscription.customer)
  const names = new Map<string, string>()
  for (const item of subscription.items.data) {
    names.set(item.price.product, (await work.get('product', item.price.product)).name)
  }
  const productName = (product: string) => names.get(product) ?? product
  const taxIds = await taxIdsOf(work, customer.id)
  const tax = subscription.automatic_tax.enabled ? await taxFor(work, customer, taxIds) : null
  const invoice = newInvoice({
    now: work.now,
    customer,
    subscription,
    productName,
    period,
    reason,
    tax,
    taxIds,
  })
  const intent = newPaymentIntent({
    now: work.now,
    amount: invoice.amount_due,
    currency: invoice.currency,
    customer: customer.id,
    description: reason === 'subscription_create' ? 'Subscription creation' : 'Subscription update',
    saveCard: true,
  })
  await work.save({
    ...customer,
    currency: invoice.currency,
    next_invoice_sequence: customer.next_invoice_sequence + 1,
  })
  await work.insert(invoice)
  await work.insert(intent)
  await work.insert(newInvoicePayment(work.now, invoice, intent.id))
  const billed = { ...subscription, latest_invoice: invoice.id }
  return { invoice, intent, subscription: billed }
}

async function paymentOf(work: Work, intent: string) {
  const [payment] = await work.all('invoice_payment', { payment: { payment_intent: intent } })
  return payment && { payment, invoice: await work.get('invoice', payment.invoice) }
}

const subscriptionOf = (work: Work, invoice: Invoice) =>
  work.get('subscription', invoice.parent.subscription_details.subscription)

export async function invoicePaid(work: Work, intent: string, method: string) {
  const found = await paymentOf(work, intent)
  if (!found) return
  const payment = await work.save({
    ...found.payment,
    status: 'paid' as const,
    amount_paid: found.invoice.amount_due,
    status_transitions: { ...found.payment.status_transitions, paid_at: work.now },
  })
  const invoice = await work.save({
    ...found.invoice,
    status: 'paid' as const,
    amount_paid: found.invoice.amount_due,
    amount_remaining: 0,
    attempted: true,
    attempt_count: found.invoice.attempt_count + 1,
    auto_advance: false,
    next_payment_attempt: null,
    status_transitions: { ...found.invoice.status_transitions, paid_at: work.now },
  })
  work.emit('invoice_payment.paid', payment)
  work.emit('invoice.paid', invoice)
  work.emit('invoice.payment_succeeded', invoice)

  const before = await subscriptionOf(work, invoice)
  if (before.ended_at !== null) return
  const revives = ['incomplete', 'past_due', 'unpaid'].includes(before.status)
  const saves = before.payment_settings.save_default_payment_method === 'on_subscription'
  await update(work, before, {
    ...before,
    status: revives ? 'active' : before.status,
    default_payment_method: saves ? method : before.default_payment_method,
  })
}

export async function invoiceAttemptFailed(work: Work, intent: string) {
  const found = await paymentOf(work, intent)
  if (!found) return
  const invoice = await work.save({
    ...found.invoice,
    attempted: true,
    attempt_count: found.invoice.attempt_count + 1,
  })
  work.emit('invoice.payment_failed', invoice)
  await fallBehind(work, invoice)
}

export async function invoiceActionRequired(work: Work, intent: string) {
  const found = await paymentOf(work, intent)
  if (!found) return
  const invoice = await work.save({
    ...found.invoice,
    attempted: true,
    attempt_count: found.invoice.attempt_count + 1,
  })
  work.emit('invoice.payment_action_required', invoice)
  if (invoice.billing_reason === 'subscription_cycle') work.emit('invoice.payment_failed', invoice)
  await fallBehind(work, invoice)
}

async function fallBehind(work: Work, invoice: Invoice) {
  const before = await subscriptionOf(work, invoice)
  if (before.status === 'active') await update(work, before, { ...before, status: 'past_due' })
}

/** Saves a subscription, and emits an event when anything changed. */
export async function update(work: Work, before: Subscription, after: Subscription): Promise<Subscription> {
  if (JSON.stringify(before) === JSON.stringify(after)) return before
  await work.save(after)
  work.emit('customer.subscription.updated', after, before)
  return after
}

/** The buyer no longer owes anything: the invoice is void and its intent cannot be paid. */
export async function voidInvoice(work: Work, invoice: Invoice): Promise<Invoice> {
  for (const payment of await work.all('invoice_payment', { invoice: invoice.id })) {
    const intent = await work.get('payment_intent', payment.payment.payment_intent)
    await work.save({
      ...payment,
      status: 'canceled' as const,
      status_transitions: { ...payment.status_transitions, canceled_at: work.now },
    })
    const canceled = await work.save({
      ...intent,
      status: 'canceled' as const,
      canceled_at: work.now,
      cancellation_reason: 'void_invoice' as const,
      next_action: null,
    })
    work.emit('payment_intent.canceled', canceled)
  }
  const voided = await work.save({
    ...invoice,
    status: 'void' as const,
    auto_advance: false,
    next_payment_attempt: null,
    status_transitions: { ...invoice.status_transitions, voided_at: work.now },
  })
  work.emit('invoice.voided', voided)
  return voided
}

/** The invoice stays open and can still be paid by hand, but the card is not tried again. */
export async function stopCollecting(work: Work, id: string) {
  const invoice = await work.get('invoice', id)
  if (invoice.status !== 'open') return
  const stopped = await work.save({ ...invoice, auto_advance: false, next_payment_attempt: null })
  work.emit('invoice.updated', stopped, invoice)
}
