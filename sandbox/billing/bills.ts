import { day } from '../basics.ts'
import { newPrice, newProduct, offOf } from '../objects/catalog.ts'
import type { Customer } from '../objects/customer.ts'
import {
  asFinalized,
  type Cut,
  type Entry,
  type Invoice,
  newInvoice,
  newInvoiceItem,
  newInvoicePayment,
} from '../objects/invoice.ts'
import { newPaymentIntent, type PaymentIntent } from '../objects/payment.ts'
import type { Subscription } from '../objects/subscription.ts'
import { retryDays } from '../quirks.ts'
import type { Work } from '../work.ts'
import { taxFor, taxIdsOf } from './tax.ts'

/** Returns when a failed payment is retried, or null after the last attempt. */
export function nextAttempt({ now }: Work, { created, status_transitions: { finalized_at } }: Invoice): number | null {
  const first = finalized_at ?? created
  return retryDays.map((days) => first + days * day).find((at) => at > now) ?? null
}

type Bill = {
  subscription: Subscription
  reason: Invoice['billing_reason']
  entries: Entry[]
  /** Time at which discounts must still apply; now by default. */
  at?: number
}

export const periodEntries = (subscription: Subscription, period: Entry['period']): Entry[] =>
  subscription.items.data.map((item) => ({
    item,
    period,
    amount: item.price.unit_amount * item.quantity,
    isProration: false,
  }))

/** The customer's discount applies if the subscription has none. */
async function cutsOf(work: Work, { discounts }: Subscription, { discount }: Customer, at: number) {
  const running: (Cut & { isOnce: boolean })[] = []
  for (const id of discounts.length > 0 || !discount ? discounts : [discount.id]) {
    const { end, source } = await work.get('discount', id)
    const coupon = await work.get('coupon', source.coupon)
    if (end === null || end > at)
      running.push({ discount: id, of: (amount) => offOf(coupon, amount), isOnce: coupon.duration === 'once' })
  }
  return running
}

/** Without an address, Stripe still charges, but without tax. */
const withPlace = (subscription: Subscription, country: string | null | undefined): Subscription =>
  country || !subscription.automatic_tax.enabled
    ? subscription
    : {
        ...subscription,
        automatic_tax: { enabled: false, disabled_reason: 'requires_location_inputs', liability: null },
      }

/** Builds the invoice without storing it. */
export async function draft(work: Work, { subscription: given, reason, entries, at = work.now }: Bill) {
  const customer = await work.customer(given.customer)
  const subscription = withPlace(given, customer.address?.country)
  const names = new Map<string, string>()
  for (const { item } of entries) {
    names.set(item.price.product, (await work.get('product', item.price.product)).name)
  }
  const productName = (product: string) => names.get(product) ?? product
  const taxIds = await taxIdsOf(work, customer.id)
  const tax = subscription.automatic_tax.enabled ? await taxFor(work, customer, taxIds) : null
  const cuts = await cutsOf(work, subscription, customer, at)
  // An invoice with prorations only leaves pending items to the next period's invoice.
  const items = entries.some(({ isProration }) => !isProration) ? await pendingItems(work, subscription.id) : []
  const about = { customer, subscription, productName, entries, items, cuts, reason, tax, taxIds }
  const invoice = newInvoice({ now: work.now, ...about })
  const spent = new Set(cuts.flatMap(({ discount, isOnce }) => (isOnce ? [discount] : [])))
  const discounts = subscription.discounts.filter((id) => !spent.has(id))
  return { customer, invoice, items, subscription: { ...subscription, discounts } }
}

/** Stores an item for the subscription's next invoice. */
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

/** Time as a draft: as long as collection is paused, or until the invoice is finalized by itself. */
function draftUntil(work: Work, { pause_collection: pause, collection_method: method }: Subscription, reason: string) {
  if (pause?.behavior === 'keep_as_draft') return 'resumed' as const
  const waits = reason === 'subscription_cycle' || method === 'send_invoice'
  return waits && work.quirks.draftSeconds > 0 ? work.now + work.quirks.draftSeconds : null
}

/** Writes an invoice and, unless it stays a draft, finalizes it. */
export async function bill(work: Work, wanted: Bill) {
  const { invoice: made, items, subscription: given } = await draft(work, wanted)
  for (const item of items) await work.save({ ...item, invoice: made.id })
  const subscription = { ...given, latest_invoice: made.id }
  const until = draftUntil(work, subscription, wanted.reason)
  if (until === null) {
    const done = await finalize(work, made, (invoice) => work.insert(invoice))
    return { ...done, subscription }
  }
  const invoice = await work.insert({
    ...made,
    auto_advance: until !== 'resumed',
    automatically_finalizes_at: until === 'resumed' ? null : until,
  })
  return { invoice, intent: null, subscription }
}

/** Creates the payment intent, or marks the invoice as paid if nothing is due. */
export async function finalize(work: Work, made: Invoice, store: (invoice: Invoice) => Promise<Invoice>) {
  const customer = await work.customer(made.customer)
  const invoice = asFinalized(made, customer, work.now)
  await work.save({
    ...customer,
    balance: invoice.ending_balance ?? customer.balance,
    currency: invoice.currency,
    next_invoice_sequence: customer.next_invoice_sequence + 1,
  })
  if (invoice.amount_due === 0)
    return { invoice: await store({ ...invoice, ...asPaid(invoice, work.now) }), intent: null }
  const intent = newPaymentIntent({
    now: work.now,
    amount: invoice.amount_due,
    currency: invoice.currency,
    customer: customer.id,
    description: invoice.billing_reason === 'subscription_create' ? 'Subscription creation' : 'Subscription update',
  })
  await store(invoice)
  await work.insert(intent)
  await work.insert(newInvoicePayment(work.now, invoice, intent.id))
  return { invoice, intent }
}

export const asPaid = (invoice: Invoice, now: number) => ({
  status: 'paid' as const,
  amount_paid: invoice.amount_due,
  amount_remaining: 0,
  attempted: true,
  auto_advance: false,
  next_payment_attempt: null,
  status_transitions: { ...invoice.status_transitions, paid_at: now },
})

export function tellOfBill(work: Work, invoice: Invoice, intent: PaymentIntent | null) {
  work.emit('invoice.created', invoice)
  if (invoice.status !== 'draft') tellOfFinalized(work, invoice, intent)
}

export function tellOfFinalized(work: Work, invoice: Invoice, intent: PaymentIntent | null) {
  work.emit('invoice.finalized', invoice)
  if (intent) return work.emit('payment_intent.created', intent)
  work.emit('invoice.paid', invoice)
  work.emit('invoice.payment_succeeded', invoice)
}
