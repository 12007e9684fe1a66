import { day } from '../basics.ts'
import { discountAmount, newPrice, newProduct } from '../objects/catalog.ts'
import type { Customer } from '../objects/customer.ts'
import {
  type AppliedDiscount,
  asFinalized,
  type Invoice,
  type InvoiceEntry,
  newInvoice,
  newInvoiceItem,
  newInvoicePayment,
} from '../objects/invoice.ts'
import { newPaymentIntent, type PaymentIntent } from '../objects/payment.ts'
import type { Subscription } from '../objects/subscription.ts'
import { retryDays } from '../quirks.ts'
import type { Work } from '../work.ts'
import { taxFor, taxIdsOf } from './tax.ts'

/** Null after the last attempt. */
export function nextAttempt({ now }: Work, { created, status_transitions: { finalized_at } }: Invoice): number | null {
  const firstAttempt = finalized_at ?? created
  const retryTimes = retryDays.map((days) => firstAttempt + days * day)
  return retryTimes.find((time) => time > now) ?? null
}

export type InvoiceRequest = {
  subscription: Subscription
  reason: Invoice['billing_reason']
  entries: InvoiceEntry[]
  /** Discounts that end before this time do not apply; now by default. */
  discountsAt?: number
}

export const periodEntries = (subscription: Subscription, period: InvoiceEntry['period']): InvoiceEntry[] =>
  subscription.items.data.map((item) => ({
    item,
    period,
    amount: item.price.unit_amount * item.quantity,
    isProration: false,
  }))

/** The customer's discount applies if the subscription has none. */
async function runningDiscounts(work: Work, { discounts }: Subscription, { discount }: Customer, at: number) {
  const running: (AppliedDiscount & { isOnce: boolean })[] = []
  const ids = discounts.length === 0 && discount ? [discount.id] : discounts
  for (const id of ids) {
    const { end, source } = await work.get('discount', id)
    if (end !== null && end <= at) continue
    const coupon = await work.get('coupon', source.coupon)
    running.push({
      discount: id,
      amountOff: (amount) => discountAmount(coupon, amount),
      isOnce: coupon.duration === 'once',
    })
  }
  return running
}

/** Turns automatic tax off if the customer has no country: Stripe still charges, but without tax. */
function withTaxOnlyIfLocated(subscription: Subscription, country: string | null | undefined): Subscription {
  if (country || !subscription.automatic_tax.enabled) return subscription
  return {
    ...subscription,
    automatic_tax: { enabled: false, disabled_reason: 'requires_location_inputs', liability: null },
  }
}

/** Stores nothing. The returned subscription has no more discounts that apply once. */
export async function buildInvoice(work: Work, request: InvoiceRequest) {
  const { reason, entries, discountsAt = work.now } = request
  const customer = await work.customer(request.subscription.customer)
  const subscription = withTaxOnlyIfLocated(request.subscription, customer.address?.country)

  const productNames = new Map<string, string>()
  for (const { item } of entries) {
    const product = await work.get('product', item.price.product)
    productNames.set(product.id, product.name)
  }
  const productName = (product: string) => productNames.get(product) ?? product

  const taxIds = await taxIdsOf(work, customer.id)
  const tax = subscription.automatic_tax.enabled ? await taxFor(work, customer, taxIds) : null
  const appliedDiscounts = await runningDiscounts(work, subscription, customer, discountsAt)
  // An invoice with prorations only leaves pending items to the next period's invoice.
  const hasOnlyProrations = entries.every(({ isProration }) => isProration)
  const items = hasOnlyProrations ? [] : await pendingItems(work, subscription.id)
  const invoice = newInvoice({
    now: work.now,
    customer,
    subscription,
    productName,
    entries,
    items,
    appliedDiscounts,
    reason,
    tax,
    taxIds,
  })

  const onceDiscounts = appliedDiscounts.filter(({ isOnce }) => isOnce)
  const usedIds = new Set(onceDiscounts.map(({ discount }) => discount))
  const discounts = subscription.discounts.filter((id) => !usedIds.has(id))
  return { customer, invoice, items, subscription: { ...subscription, discounts } }
}

export async function addInvoiceItem(work: Work, subscription: Subscription, amount: number, description: string) {
  const product = await work.insert(newProduct(work.now, description))
  const price = newPrice({
    now: work.now,
    product: product.id,
    currency: subscription.currency,
    amount,
    recurring: null,
  })
  return work.create(newInvoiceItem(work.now, { subscription, price: await work.insert(price), amount, description }))
}

const pendingItems = (work: Work, subscription: string) =>
  work.all('invoiceitem', { invoice: null, parent: { subscription_details: { subscription } } })

/** Time when the draft is finalized; `resumed` waits until the collection resumes; null means immediately. */
function draftUntil(work: Work, { pause_collection: pause, collection_method: method }: Subscription, reason: string) {
  if (pause?.behavior === 'keep_as_draft') return 'resumed' as const
  const isDraftFirst = reason === 'subscription_cycle' || method === 'send_invoice'
  return isDraftFirst && work.quirks.draftSeconds > 0 ? work.now + work.quirks.draftSeconds : null
}

/** Returns the subscription without storing it. */
export async function createInvoice(work: Work, request: InvoiceRequest) {
  const built = await buildInvoice(work, request)
  for (const item of built.items) await work.save({ ...item, invoice: built.invoice.id })
  const subscription = { ...built.subscription, latest_invoice: built.invoice.id }
  const until = draftUntil(work, subscription, request.reason)
  if (until === null) {
    const finalized = await finalizeInvoice(work, built.invoice, (invoice) => work.insert(invoice))
    return { ...finalized, subscription }
  }
  const invoice = await work.insert({
    ...built.invoice,
    auto_advance: until !== 'resumed',
    automatically_finalizes_at: until === 'resumed' ? null : until,
  })
  return { invoice, intent: null, subscription }
}

export async function finalizeInvoice(work: Work, draft: Invoice, store: (invoice: Invoice) => Promise<Invoice>) {
  const customer = await work.customer(draft.customer)
  const invoice = asFinalized(draft, customer, work.now)
  await work.save({
    ...customer,
    balance: invoice.ending_balance ?? customer.balance,
    currency: invoice.currency,
    next_invoice_sequence: customer.next_invoice_sequence + 1,
  })
  if (invoice.amount_due === 0)
    return { invoice: await store({ ...invoice, ...paidFields(invoice, work.now) }), intent: null }
  const intent = newPaymentIntent({
    now: work.now,
    amount: invoice.amount_due,
    currency: invoice.currency,
    customer: customer.id,
    description: invoice.billing_reason === 'subscription_create' ? 'Subscription creation' : 'Subscription update',
  })
  await store(invoice)
  await work.insert(intent)
  await work.insert(newInvoicePayment(work.now, invoice, { payment_intent: intent.id, type: 'payment_intent' }))
  return { invoice, intent }
}

export const paidFields = (invoice: Invoice, now: number) => ({
  status: 'paid' as const,
  amount_paid: invoice.amount_due,
  amount_remaining: 0,
  attempted: true,
  auto_advance: false,
  next_payment_attempt: null,
  status_transitions: { ...invoice.status_transitions, paid_at: now },
})

export function emitInvoiceCreated(work: Work, invoice: Invoice, intent: PaymentIntent | null) {
  work.emit('invoice.created', invoice)
  if (invoice.status !== 'draft') emitInvoiceFinalized(work, invoice, intent)
}

export function emitInvoiceFinalized(work: Work, invoice: Invoice, intent: PaymentIntent | null) {
  work.emit('invoice.finalized', invoice)
  if (intent) return work.emit('payment_intent.created', intent)
  work.emit('invoice.paid', invoice)
  work.emit('invoice.payment_succeeded', invoice)
}
