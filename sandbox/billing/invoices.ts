import { newId } from '../basics.ts'
import { type Invoice, type InvoicePayment, newInvoicePayment } from '../objects/invoice.ts'
import type { Subscription } from '../objects/subscription.ts'
import type { Work } from '../work.ts'
import { paidFields } from './bills.ts'

async function findInvoicePayment(work: Work, intent: string) {
  const [payment] = await work.all('invoice_payment', { payment: { payment_intent: intent } })
  return payment && { payment, invoice: await work.get('invoice', payment.invoice) }
}

const subscriptionOf = (work: Work, invoice: Invoice) =>
  work.get('subscription', invoice.parent.subscription_details.subscription)

export async function payInvoiceOf(work: Work, intent: string, method: string) {
  const found = await findInvoicePayment(work, intent)
  if (!found) return
  await markPaid(work, found.payment, found.invoice)
  await settleInvoice(work, { ...found.invoice, attempt_count: found.invoice.attempt_count + 1 }, method)
}

async function markPaid(work: Work, payment: InvoicePayment, { amount_due: amount }: Invoice) {
  const paid = await work.save({
    ...payment,
    status: 'paid' as const,
    amount_paid: amount,
    status_transitions: { ...payment.status_transitions, paid_at: work.now },
  })
  work.emit('invoice_payment.paid', paid)
}

async function settleInvoice(work: Work, open: Invoice, method: string | null): Promise<Invoice> {
  const invoice = await work.save({ ...open, ...paidFields(open, work.now) })
  work.emit('invoice.paid', invoice)
  work.emit('invoice.payment_succeeded', invoice)

  const before = await subscriptionOf(work, invoice)
  if (before.ended_at !== null) return invoice
  const isReactivated = ['incomplete', 'past_due', 'unpaid', 'paused'].includes(before.status)
  const savesMethod = method !== null && before.payment_settings.save_default_payment_method === 'on_subscription'
  await updateSubscription(work, before, {
    ...(isForPendingUpdate(before, invoice) ? withPendingUpdate(before) : before),
    status: isReactivated ? 'active' : before.status,
    status_details: undefined,
    default_payment_method: savesMethod ? method : before.default_payment_method,
  })
  return invoice
}

const isForPendingUpdate = ({ pending_update: pending, latest_invoice: latest }: Subscription, { id }: Invoice) =>
  pending !== null && latest === id

function withPendingUpdate(subscription: Subscription): Subscription {
  const { pending_update: pending, items, metadata } = subscription
  if (!pending) return subscription
  return {
    ...subscription,
    billing_cycle_anchor: pending.billing_cycle_anchor,
    items: { ...items, data: pending.subscription_items },
    metadata: { ...metadata, ...pending.metadata },
    pending_update: null,
  }
}

/** A payment that needs the buyer's confirmation counts as an attempt, too. */
async function recordAttempt(work: Work, intent: string, eventTypes: (invoice: Invoice) => string[]) {
  const found = await findInvoicePayment(work, intent)
  if (!found) return
  const attempt_count = found.invoice.attempt_count + 1
  const invoice = await work.save({ ...found.invoice, attempted: true, attempt_count })
  for (const type of eventTypes(invoice)) work.emit(type, invoice)
  await markPastDue(work, invoice)
}

export const recordFailedAttempt = (work: Work, intent: string) =>
  recordAttempt(work, intent, () => ['invoice.payment_failed'])

export const recordActionRequired = (work: Work, intent: string) =>
  recordAttempt(work, intent, ({ billing_reason }) => [
    'invoice.payment_action_required',
    ...(billing_reason === 'subscription_cycle' ? ['invoice.payment_failed'] : []),
  ])

async function markPastDue(work: Work, invoice: Invoice) {
  const before = await subscriptionOf(work, invoice)
  if (before.status === 'active' && !isForPendingUpdate(before, invoice))
    await updateSubscription(work, before, { ...before, status: 'past_due' })
}

export async function updateSubscription(work: Work, before: Subscription, after: Subscription): Promise<Subscription> {
  if (JSON.stringify(before) === JSON.stringify(after)) return before
  await work.save(after)
  work.emit('customer.subscription.updated', after, before)
  return after
}

export async function voidInvoice(work: Work, invoice: Invoice): Promise<Invoice> {
  await cancelPayments(work, invoice)
  const customer = await work.get('customer', invoice.customer)
  const usedCredit = (invoice.ending_balance ?? invoice.starting_balance) - invoice.starting_balance
  if (usedCredit !== 0 && !('deleted' in customer))
    await work.save({ ...customer, balance: customer.balance - usedCredit })
  const voided = await work.save({
    ...invoice,
    status: 'void' as const,
    auto_advance: false,
    next_payment_attempt: null,
    status_transitions: { ...invoice.status_transitions, voided_at: work.now },
  })
  work.emit('invoice.voided', voided)
  const subscription = await subscriptionOf(work, invoice)
  if (isForPendingUpdate(subscription, invoice))
    await updateSubscription(work, subscription, { ...subscription, pending_update: null })
  else await reactivate(work, invoice)
  return voided
}

async function cancelPayments(work: Work, invoice: Invoice) {
  for (const payment of await work.all('invoice_payment', { invoice: invoice.id })) {
    if (payment.payment.type !== 'payment_intent') continue
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
}

export async function payOutOfBand(work: Work, invoice: Invoice): Promise<Invoice> {
  await cancelPayments(work, invoice)
  const record = { payment_record: newId('pr'), type: 'payment_record' as const }
  await markPaid(work, await work.insert(newInvoicePayment(work.now, invoice, record)), invoice)
  return settleInvoice(work, invoice, null)
}

export async function markUncollectible(work: Work, invoice: Invoice): Promise<Invoice> {
  const marked = await work.save({
    ...invoice,
    status: 'uncollectible' as const,
    auto_advance: false,
    next_payment_attempt: null,
    status_transitions: { ...invoice.status_transitions, marked_uncollectible_at: work.now },
  })
  work.emit('invoice.marked_uncollectible', marked)
  await reactivate(work, invoice)
  return marked
}

/** Stripe makes a past-due subscription active when its latest invoice is void or uncollectible. */
async function reactivate(work: Work, { id, parent }: Invoice) {
  const subscription = await work.find('subscription', parent.subscription_details.subscription)
  if (subscription?.latest_invoice !== id) return
  const isUnpaid = subscription.status === 'past_due' || subscription.status === 'unpaid'
  if (isUnpaid) await updateSubscription(work, subscription, { ...subscription, status: 'active' })
}

export async function stopCollecting(work: Work, id: string) {
  const invoice = await work.get('invoice', id)
  if (invoice.status !== 'open') return
  await work.update(invoice, { ...invoice, auto_advance: false, next_payment_attempt: null })
}
