import type { Stripe } from 'stripe'
import { declineSentence } from '#contract/selling/declines.ts'
import { type Rate, rateReader, type Tax, taxReader } from './amounts.ts'
import { type Client, date, dateOrNull, idOf, isMissing } from './client.ts'
import { type DisputeSummary, disputeReader } from './disputes.ts'
import {
  type CreditNoteRecord,
  creditIn,
  creditNotesOf,
  type InvoiceRecord,
  isProration,
  lineOf,
  recordOf,
  uncoveredNotes,
} from './invoice-records.ts'

export type Refund = {
  id: string
  at: Date
  amount: number
  /** `pending`, `requires_action`, `succeeded`, `failed` or `canceled`. */
  status: string
  /** Goodwill refund: access stays. */
  keepsAccess: boolean
  /** For the unused part of a term. Counts against the amount promised for it. */
  isForUnusedTerm: boolean
}

export type Payment = DisputeSummary & {
  paymentIntentId: string
  invoiceId: string
  paidAt: Date
  amount: number
  /** Refunded amount, pending included, failed excluded. */
  refunded: number
  /** Every attempted refund, oldest first. */
  refunds: Refund[]
  cardCountry: string | null
  invoiceNumber: string | null
  /** Country in the invoice's address, otherwise of the card. */
  country: string | null
}

/** Immutable, whatever happens to the subscription. */
export type PaidPeriod = {
  invoiceId: string
  paidAt: Date
  start: Date
  end: Date
  /** Amount paid by card or elsewhere; 0 if a discount or credit covered it. */
  amount: number
  tax: Tax | null
  /** Credit for unused time paid before. */
  credit: number
  isProration: boolean
  rate: Rate
}

export type OwedInvoice = {
  id: string
  status: string | null
  createdAt: Date
  /** Time it could first be paid: finalized, or due if sent by email. The grace period counts from here. */
  payableSince: Date
  /** Time it was voided or marked uncollectible. */
  closedAt: Date | null
  attempts: number
  nextAttemptAt: Date | null
  amountDue: number
  /** False if Stripe won't charge it by itself, such as a draft from a time when collection was paused. */
  isAutomatic: boolean
  /** Written off before a charge was tried. */
  isWaived: boolean
  /** Client secret for the buyer's confirmation, if the bank asks for it (3-D Secure). */
  confirmWith: string | null
  isPaying: boolean
  refusal: string | null
}

export type History = {
  /** Oldest first. */
  invoices: InvoiceRecord[]
  creditNotes: CreditNoteRecord[]
  /** Oldest first. */
  periods: PaidPeriod[]
  /** Newest first. */
  payments: Payment[]
  /** Newest invoice of a full period, paid or not. Prorations do not count as renewals. */
  latestPeriodInvoice: OwedInvoice | null
  /** Payable invoice: the newest of a full period, otherwise the newest proration. */
  openInvoice: OwedInvoice | null
  /** Amount stated by credit notes beyond actual refunds, because their refunds failed later. */
  uncoveredNotes: number
  /** Number of invoices in any state: each attempt to switch plans creates one. */
  invoiceCount: number
}

export function historyReader({ sdk, ask, all }: Pick<Client, 'sdk' | 'ask' | 'all'>) {
  const taxOf = taxReader({ sdk, ask })
  const rateOf = rateReader({ sdk, ask })
  const disputeOf = disputeReader({ sdk, ask })

  /** An expanded charge contains only its newest ten refunds. */
  async function refundsOf({ id, refunds }: Stripe.Charge): Promise<Refund[]> {
    const allRefunds = refunds?.has_more ? await all(sdk.refunds.list({ charge: id, limit: 100 })) : refunds?.data
    return (allRefunds ?? [])
      .map((refund) => ({
        id: refund.id,
        at: date(refund.created),
        amount: refund.amount,
        status: refund.status ?? 'pending',
        keepsAccess: refund.metadata?.keeps_access === 'yes',
        isForUnusedTerm: refund.metadata?.unused_term === 'yes',
      }))
      .toReversed()
  }

  /** Stripe cannot list the charges of a deleted customer, so it is asked per payment. */
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

  async function paymentsOf(customer: string, invoiceByIntent: Map<string, Stripe.Invoice>): Promise<Payment[]> {
    const charges = await chargesOf(customer, invoiceByIntent.keys())
    const payments = charges.map(async (charge): Promise<Payment | null> => {
      const paymentIntentId = idOf(charge.payment_intent) ?? ''
      const invoice = invoiceByIntent.get(paymentIntentId)
      if (charge.status !== 'succeeded' || !invoice) return null
      const cardCountry = charge.payment_method_details?.card?.country ?? null
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
    const received = (await Promise.all(payments)).filter((payment) => payment !== null)
    return received.toSorted((a, b) => b.paidAt.getTime() - a.paidAt.getTime())
  }

  async function periodOf(invoice: Stripe.Invoice): Promise<PaidPeriod | null> {
    const line = lineOf(invoice)
    const paidAt = invoice.status_transitions.paid_at
    if (invoice.status !== 'paid' || !line || paidAt === null) return null
    // Prorations on the invoice of a full period belong to the period before.
    const fullPeriodLines = invoice.lines.data.filter((each) => !isProration(each))
    return {
      invoiceId: invoice.id,
      paidAt: date(paidAt),
      start: date(line.period.start),
      end: date(line.period.end),
      amount: invoice.amount_paid,
      tax: await taxOf(invoice),
      credit: creditIn(invoice),
      isProration: isProration(line),
      rate: await rateOf(isProration(line) ? [line] : fullPeriodLines),
    }
  }

  return async function historyOf(subscription: string, customer: string): Promise<History> {
    const invoices = await all(sdk.invoices.list({ subscription, expand: ['data.payments'], limit: 100 }))
    const invoiceByIntent = new Map<string, Stripe.Invoice>()
    for (const invoice of invoices)
      for (const { payment } of invoice.payments?.data ?? []) {
        const intent = idOf(payment.payment_intent)
        if (intent) invoiceByIntent.set(intent, invoice)
      }
    const periods: PaidPeriod[] = []
    const records: InvoiceRecord[] = []
    for (const invoice of invoices.toReversed()) {
      const period = await periodOf(invoice)
      if (period) periods.push(period)
      const tax = await taxOf(invoice)
      records.push(recordOf(invoice, tax?.percent ?? null))
    }
    const due = invoices.find(({ billing_reason: reason }) => reason && fullPeriodReasons.has(reason))
    const open = isPayable(due) ? due : invoices.find(isPayable)
    const payments = await paymentsOf(customer, invoiceByIntent)
    const creditNotes = await creditNotesOf({ sdk, ask }, invoices)
    return {
      invoices: records,
      creditNotes,
      periods,
      payments,
      uncoveredNotes: uncoveredNotes(creditNotes, payments),
      latestPeriodInvoice: due ? owedInvoice(due) : null,
      openInvoice: open ? { ...owedInvoice(open), ...(await readAttempt({ sdk, ask }, open)) } : null,
      invoiceCount: invoices.length,
    }
  }
}

/** Stripe collects the invoice with the default payment. */
export const defaultPayment = (payments: Stripe.InvoicePayment[] | undefined) =>
  payments?.find(({ is_default: isDefault }) => isDefault) ?? payments?.at(-1)

/** Empty before the first attempt: the browser then has the secret from the checkout. */
async function readAttempt(
  { sdk, ask }: Pick<Client, 'sdk' | 'ask'>,
  { attempt_count: attempts, payments }: Stripe.Invoice,
) {
  const intent = idOf(defaultPayment(payments?.data)?.payment.payment_intent)
  if (attempts === 0 || !intent) return {}
  const { status, client_secret: secret, last_payment_error: failure } = await ask(sdk.paymentIntents.retrieve(intent))
  return {
    confirmWith: status === 'requires_action' ? secret : null,
    isPaying: status === 'processing' || status === 'succeeded',
    refusal: failure ? declineSentence(failure) : null,
  }
}

const fullPeriodReasons = new Set<string>(['subscription_create', 'subscription_cycle'])

const isPayable = (invoice: Stripe.Invoice | undefined) =>
  invoice?.status === 'open' || (invoice?.status === 'uncollectible' && !isWaived(invoice))

/** Written off before Stripe has tried to charge it, as a pause of collection does. */
const isWaived = ({ status, attempt_count: attempts, collection_method: collection }: Stripe.Invoice) =>
  status === 'uncollectible' && attempts === 0 && collection === 'charge_automatically'

function owedInvoice(invoice: Stripe.Invoice): OwedInvoice {
  const { finalized_at, voided_at, marked_uncollectible_at } = invoice.status_transitions
  const dueAt = invoice.collection_method === 'send_invoice' ? invoice.due_date : null
  return {
    id: invoice.id,
    status: invoice.status,
    createdAt: date(invoice.created),
    payableSince: date(dueAt ?? finalized_at ?? invoice.created),
    closedAt: dateOrNull(voided_at ?? marked_uncollectible_at),
    attempts: invoice.attempt_count,
    nextAttemptAt: dateOrNull(invoice.next_payment_attempt),
    amountDue: invoice.amount_remaining,
    isAutomatic: invoice.auto_advance ?? false,
    isWaived: isWaived(invoice),
    confirmWith: null,
    isPaying: false,
    refusal: null,
  }
}
