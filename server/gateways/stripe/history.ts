import type { Stripe } from 'stripe'
import { type Rate, rateReader, type Tax, taxReader } from './amounts.ts'
import { type Client, date, dateOrNull, idOf, isMissing } from './client.ts'

export type Refund = {
  id: string
  at: Date
  amount: number
  /** `pending`, `requires_action`, `succeeded`, `failed` or `canceled`. */
  status: string
  /** The seller gave it as a present: access stays. */
  keepsAccess: boolean
  /** Paid because of a promise: the rest of a year that was ended with a month's notice. */
  isRest: boolean
}

export type Payment = {
  paymentIntentId: string
  invoiceId: string
  paidAt: Date
  amount: number
  /** What has gone back or is on its way: failed refunds don't count. */
  refunded: number
  /** Every one that was tried, oldest first. */
  refunds: Refund[]
  /** `lost`: the cardholder has the money, even while the seller appeals. */
  dispute: 'none' | 'open' | 'won' | 'lost'
  /** What open disputes are about. */
  disputedAmount: number
  /** Until when evidence can be sent; null if there is nothing to answer. */
  disputeDueAt: Date | null
  /** A bank decides or has decided about it. An inquiry blocks nothing: a refund ends it. */
  isRefundBlocked: boolean
  /** What the cardholder got by disputes, and when the bank took it. */
  lost: { amount: number; at: Date } | null
  /** Where the card was issued. */
  cardCountry: string | null
  /** As its invoice has them. */
  invoiceNumber: string | null
  country: string | null
}

/** Time that a paid invoice bought. Neither changes afterwards, whatever becomes of the subscription. */
export type PaidPeriod = {
  invoiceId: string
  paidAt: Date
  start: Date
  end: Date
  /** What was paid, by card or elsewhere; nothing, if a discount or a credit covered it. */
  amount: number
  tax: Tax | null
  /** What a change took off it for time that had been paid for before. */
  credit: number
  /** A change within a period that had been paid for, rather than a period of its own. */
  isProration: boolean
  rate: Rate
}

export type OwedInvoice = {
  id: string
  status: string | null
  createdAt: Date
  /** From when it can be paid: finalized, or due if it is sent to the customer. The grace period counts from here. */
  payableSince: Date
  attempts: number
  nextAttemptAt: Date | null
  amountDue: number
  /** The client secret with which the buyer confirms the payment, if that is all their bank wants. */
  confirmWith: string | null
  isPaying: boolean
  /** What the bank said about the card, if it refused. */
  refusal: string | null
}

export type History = {
  /** Oldest first. */
  periods: PaidPeriod[]
  /** Every payment received, newest first. */
  payments: Payment[]
  /** The newest invoice for a period of its own, paid or not: a change within one says nothing about renewals. */
  dueInvoice: OwedInvoice | null
  /** The one that can still be paid: for a period of its own rather than for a change within one, the newest of those. */
  openInvoice: OwedInvoice | null
  /** What credit notes say was refunded, beyond what has been: their refunds failed later. */
  uncoveredNotes: number
  /** How many invoices there are, whatever became of them: each attempt to change the plan makes another. */
  invoiceCount: number
}

/** `prevented`: refunded before it became a dispute. An appeal follows a loss. */
const lostDisputes = new Set<string>(['lost', 'prevented', 'appeal_needs_response', 'appeal_under_review'])
const wonDisputes = new Set<string>(['won', 'warning_closed'])
const unanswered = new Set<string>(['needs_response', 'warning_needs_response', 'appeal_needs_response'])

export function historyReader({ sdk, ask, all }: Pick<Client, 'sdk' | 'ask' | 'all'>) {
  const taxOf = taxReader({ sdk, ask })
  const rateOf = rateReader({ sdk, ask })

  async function disputeOf({
    id,
    disputed,
  }: Stripe.Charge): Promise<
    Pick<Payment, 'dispute' | 'disputedAmount' | 'disputeDueAt' | 'isRefundBlocked' | 'lost'>
  > {
    if (!disputed) return { dispute: 'none', disputedAmount: 0, disputeDueAt: null, isRefundBlocked: false, lost: null }
    const { data } = await ask(sdk.disputes.list({ charge: id, limit: 100 }))
    const lost = data.filter(({ status }) => lostDisputes.has(status))
    // A status that Stripe adds later counts as open, so that someone looks at it.
    const open = data.filter(({ status }) => !lostDisputes.has(status) && !wonDisputes.has(status))
    const dueBy = data
      .filter(({ status }) => unanswered.has(status))
      .flatMap(({ evidence_details: { due_by } }) => due_by || [])
    return {
      dispute: lost.length > 0 ? 'lost' : open.length > 0 ? 'open' : 'won',
      disputedAmount: open.reduce((sum, { amount }) => sum + amount, 0),
      disputeDueAt: dueBy.length > 0 ? date(Math.min(...dueBy)) : null,
      isRefundBlocked: lost.length > 0 || open.some(({ is_charge_refundable: isRefundable }) => !isRefundable),
      lost: lost.length > 0 ? lossOf(lost) : null,
    }
  }

  /** A list has the newest ten with it. */
  async function refundsOf({ id, refunds }: Stripe.Charge): Promise<Refund[]> {
    const found = refunds?.has_more ? await all(sdk.refunds.list({ charge: id, limit: 100 })) : refunds?.data
    return (found ?? [])
      .map((refund) => ({
        id: refund.id,
        at: date(refund.created),
        amount: refund.amount,
        status: refund.status ?? 'pending',
        keepsAccess: refund.metadata?.keeps_access === 'yes',
        isRest: refund.metadata?.purpose?.startsWith('rest of ') ?? false,
      }))
      .toReversed()
  }

  /** All in one list; for a deleted customer, one by one. */
  async function chargesOf(customer: string, intents: Iterable<string>): Promise<Stripe.Charge[]> {
    const expand = ['data.refunds']
    try {
      return await all(sdk.charges.list({ customer, limit: 100, expand }))
    } catch (error) {
      if (!isMissing(error)) throw error
      const lists = [...intents].map((payment_intent) => all(sdk.charges.list({ payment_intent, expand })))
      return (await Promise.all(lists)).flat()
    }
  }

  /** A customer may have paid for other subscriptions, too. */
  async function paymentsOf(customer: string, invoiceOf: Map<string, Stripe.Invoice>): Promise<Payment[]> {
    const charges = await chargesOf(customer, invoiceOf.keys())
    const payments = charges.map(async (charge): Promise<Payment | []> => {
      const paymentIntentId = idOf(charge.payment_intent) ?? ''
      const invoice = invoiceOf.get(paymentIntentId)
      const cardCountry = charge.payment_method_details?.card?.country ?? null
      if (charge.status !== 'succeeded' || !invoice) return []
      return {
        paymentIntentId,
        invoiceId: invoice.id,
        invoiceNumber: invoice.number,
        country: invoice.customer_address?.country ?? cardCountry,
        paidAt: date(charge.created),
        amount: charge.amount,
        refunded: charge.amount_refunded,
        refunds: await refundsOf(charge),
        ...(await disputeOf(charge)),
        cardCountry,
      }
    })
    const received = (await Promise.all(payments)).flat()
    return received.toSorted((a, b) => b.paidAt.getTime() - a.paidAt.getTime())
  }

  async function periodOf(invoice: Stripe.Invoice): Promise<PaidPeriod | []> {
    const line = lineOf(invoice)
    const paidAt = invoice.status_transitions.paid_at
    if (invoice.status !== 'paid' || !line || paidAt === null) return []
    return {
      invoiceId: invoice.id,
      paidAt: date(paidAt),
      start: date(line.period.start),
      end: date(line.period.end),
      amount: invoice.amount_paid,
      tax: await taxOf(invoice),
      credit: invoice.lines.data.filter(isProration).reduce((sum, { amount }) => sum - Math.min(amount, 0), 0),
      isProration: isProration(line),
      rate: await rateOf(isProration(line) ? [line] : invoice.lines.data.filter((each) => !isProration(each))),
    }
  }

  return async function historyOf(subscription: string, customer: string): Promise<History> {
    const invoices = await all(sdk.invoices.list({ subscription, expand: ['data.payments'], limit: 100 }))
    const invoiceOf = new Map(
      invoices.flatMap((invoice) =>
        (invoice.payments?.data ?? []).flatMap(({ payment }) => {
          const intent = idOf(payment.payment_intent)
          return intent ? [[intent, invoice] as const] : []
        }),
      ),
    )
    const periods: PaidPeriod[] = []
    for (const invoice of invoices.toReversed()) periods.push(...[await periodOf(invoice)].flat())
    const due = invoices.find(({ billing_reason: reason }) => reason && ofPeriods.has(reason))
    const open = isPayable(due) ? due : invoices.find(isPayable)
    const payments = await paymentsOf(customer, invoiceOf)
    return {
      periods,
      payments,
      uncoveredNotes: await uncoveredNotes({ sdk, ask }, invoices, payments),
      dueInvoice: due ? owedInvoice(due) : null,
      openInvoice: open ? { ...owedInvoice(open), ...(await attemptOn({ sdk, ask }, open)) } : null,
      invoiceCount: invoices.length,
    }
  }
}

/** Of several payments for one invoice, the one that Stripe tries to collect. */
export const defaultPayment = (payments: Stripe.InvoicePayment[] | undefined) =>
  payments?.find(({ is_default: isDefault }) => isDefault) ?? payments?.at(-1)

/** Only after an attempt: who is still at the checkout has the secret already. */
async function attemptOn(
  { sdk, ask }: Pick<Client, 'sdk' | 'ask'>,
  { attempt_count: attempts, payments }: Stripe.Invoice,
) {
  const intent = idOf(defaultPayment(payments?.data)?.payment.payment_intent)
  if (attempts === 0 || !intent) return {}
  const { status, client_secret: secret, last_payment_error: failure } = await ask(sdk.paymentIntents.retrieve(intent))
  return {
    confirmWith: status === 'requires_action' ? secret : null,
    isPaying: status === 'processing' || status === 'succeeded',
    refusal: failure?.message ?? null,
  }
}

/** In the charge's currency. Balance transactions are in the one that the account settles in. */
function lossOf(lost: Stripe.Dispute[]): Payment['lost'] {
  const taken = lost.flatMap(({ balance_transactions: moved }) => moved.filter(({ amount }) => amount < 0))
  return {
    amount: lost.reduce((sum, { amount }) => sum + amount, 0),
    at: date(Math.min(...[...taken, ...lost].map(({ created }) => created))),
  }
}

/** Notes are only asked for where they exceed the refunds: some of those may have become a credit instead. */
async function uncoveredNotes(
  { sdk, ask }: Pick<Client, 'sdk' | 'ask'>,
  invoices: Stripe.Invoice[],
  payments: Payment[],
) {
  let uncovered = 0
  for (const { id: invoice, post_payment_credit_notes_amount: credited } of invoices) {
    const paid = payments.filter(({ invoiceId }) => invoiceId === invoice)
    const refunded = paid.reduce((sum, payment) => sum + payment.refunded, 0)
    if (credited <= refunded) continue
    const { data } = await ask(sdk.creditNotes.list({ invoice, limit: 100 }))
    const noted = data.flatMap(({ status, refunds }) => (status === 'issued' ? refunds : []))
    const promised = noted.reduce((sum, { amount_refunded: amount }) => sum + amount, 0)
    uncovered += Math.max(0, promised - refunded)
  }
  return uncovered
}

const ofPeriods = new Set<string>(['subscription_create', 'subscription_cycle'])

const isPayable = (invoice: Stripe.Invoice | undefined) =>
  invoice?.status === 'open' || invoice?.status === 'uncollectible'

const owedInvoice = (invoice: Stripe.Invoice): OwedInvoice => ({
  id: invoice.id,
  status: invoice.status,
  createdAt: date(invoice.created),
  payableSince: date(
    (invoice.collection_method === 'send_invoice' ? invoice.due_date : null) ??
      invoice.status_transitions.finalized_at ??
      invoice.created,
  ),
  attempts: invoice.attempt_count,
  nextAttemptAt: dateOrNull(invoice.next_payment_attempt),
  amountDue: invoice.amount_remaining,
  confirmWith: null,
  isPaying: false,
  refusal: null,
})

const isProration = ({ parent }: Stripe.InvoiceLineItem) =>
  parent?.subscription_item_details?.proration ?? parent?.invoice_item_details?.proration ?? false

/** What an invoice is about: a whole period rather than a change within one; of several, the last. */
function lineOf({ lines }: Stripe.Invoice): Stripe.InvoiceLineItem | undefined {
  const bought = lines.data.filter(({ amount }) => amount > 0)
  return bought.toSorted((a, b) => Number(isProration(a)) - Number(isProration(b)) || b.period.end - a.period.end)[0]
}
