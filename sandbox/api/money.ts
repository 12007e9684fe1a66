import { refund } from '../billing/disputes.ts'
import { draft, voidInvoice } from '../billing/invoices.ts'
import { planChange } from '../billing/plan-changes.ts'
import { payInvoice, upToDate } from '../billing/subscriptions.ts'
import { invalid } from '../failure.ts'
import { type Invoice, newCreditNote } from '../objects/invoice.ts'
import type { Work } from '../work.ts'
import { resolveMethod } from './methods.ts'
import { choice, flag, group, integer, list, metadata, paging, range, required, text } from './params.ts'
import { route } from './route.ts'
import { planOf, planParams } from './subscriptions.ts'

/** The charge that a request names, directly or by the payment intent that it paid. */
export async function claimCharge(work: Work, charge: string | undefined, intent: string | undefined) {
  if (charge !== undefined) return work.claim('charge', charge)
  if (intent === undefined) {
    throw invalid('One of the following params should be provided: payment_intent or charge.')
  }
  const { latest_charge: latest, status } = await work.claim('payment_intent', intent)
  if (latest === null || status !== 'succeeded') {
    throw invalid(
      `This PaymentIntent (${intent}) does not have a successful charge to refund.`,
      'payment_intent',
    )
  }
  return work.get('charge', latest)
}

export const moneyRoutes = [
  route(
    'GET /v1/invoices/search',
    { limit: integer, page: text, query: required(text) },
    async ({ work, params: { query, limit = 10 } }) => {
      const number = /^number:"([A-Z0-9-]+)"$/.exec(query)?.[1]
      if (number === undefined) throw invalid('The sandbox searches invoices by number only.', 'query')
      const { data, has_more } = await work.list(
        'invoice',
        '/v1/invoices/search',
        { match: { number } },
        { limit },
      )
      return { object: 'search_result', data, has_more, next_page: null, url: '/v1/invoices/search' }
    },
  ),
  route(
    'POST /v1/invoices/create_preview',
    {
      subscription: required(text),
      subscription_details: required(
        group({ ...planParams, proration_behavior: required(choice('always_invoice')) }),
      ),
    },
    async ({ work, params: { subscription: id, subscription_details: wanted } }) => {
      const before = await work.claim('subscription', id)
      const { after, entries } = await planChange(work, before, await planOf(work, before, wanted))
      const reason = 'subscription_update'
      const { invoice } = await draft(work, { subscription: after, reason, entries })
      return {
        ...invoice,
        id: `upcoming_${invoice.id}`,
        effective_at: null,
        hosted_invoice_url: null,
        invoice_pdf: null,
        number: null,
        status: 'draft',
        status_transitions: { ...invoice.status_transitions, finalized_at: null },
      }
    },
  ),
  route('GET /v1/invoices/:id', {}, ({ work, id }) => work.get('invoice', id)),
  route('POST /v1/invoices/:id', { auto_advance: required(flag) }, async ({ work, id, params }) => {
    const invoice = await work.claim('invoice', id)
    const updated = await work.save({ ...invoice, auto_advance: params.auto_advance })
    work.emit('invoice.updated', updated, invoice)
    return updated
  }),
  route(
    'GET /v1/invoices',
    {
      ...paging,
      created: range,
      customer: text,
      status: choice('draft', 'open', 'paid', 'uncollectible', 'void'),
      subscription: text,
    },
    ({ work, params: { customer, status, subscription, created, ...page } }) => {
      const parent = subscription === undefined ? undefined : { subscription_details: { subscription } }
      return work.list('invoice', '/v1/invoices', { match: { customer, status, parent }, created }, page)
    },
  ),
  route(
    'POST /v1/invoices/:id/pay',
    { off_session: flag, payment_method: text },
    async ({ work, id, params }) => {
      const invoice = await work.claim('invoice', id)
      const method = params.payment_method ? await resolveMethod(work, params.payment_method) : undefined
      return payInvoice(work, invoice, method)
    },
  ),
  route('POST /v1/invoices/:id/void', {}, async ({ work, id }) => {
    const invoice = await upToDate(work, await work.claim('invoice', id))
    if (invoice.status !== 'open' && invoice.status !== 'uncollectible') {
      throw invalid(
        `You can only pass in open or uncollectible invoices. This invoice is ${invoice.status}.`,
        'invoice',
      )
    }
    return voidInvoice(work, invoice)
  }),
  route(
    'GET /v1/invoice_payments',
    {
      ...paging,
      created: range,
      invoice: text,
      payment: group({ payment_intent: text, type: required(choice('payment_intent')) }),
      status: choice('canceled', 'open', 'paid'),
    },
    ({ work, params: { invoice, payment, status, created, ...page } }) =>
      work.list(
        'invoice_payment',
        '/v1/invoice_payments',
        { match: { invoice, payment, status }, created },
        page,
      ),
  ),
  route('GET /v1/charges/:id', {}, ({ work, id }) => work.get('charge', id)),
  route(
    'GET /v1/charges',
    { ...paging, created: range, customer: text, payment_intent: text },
    ({ work, params: { customer, payment_intent, created, ...page } }) =>
      work.list('charge', '/v1/charges', { match: { customer, payment_intent }, created }, page),
  ),
  route(
    'POST /v1/refunds',
    {
      amount: integer,
      charge: text,
      metadata,
      payment_intent: text,
      reason: choice('duplicate', 'fraudulent', 'requested_by_customer'),
    },
    async ({ work, params }) => {
      const charge = await claimCharge(work, params.charge, params.payment_intent)
      return refund(work, charge, params.amount, params.reason ?? null, params.metadata)
    },
  ),
  route('GET /v1/refunds/:id', {}, ({ work, id }) => work.get('refund', id)),
  route(
    'GET /v1/refunds',
    { ...paging, charge: text, created: range, payment_intent: text },
    ({ work, params: { charge, payment_intent, created, ...page } }) =>
      work.list('refund', '/v1/refunds', { match: { charge, payment_intent }, created }, page),
  ),
  route('GET /v1/disputes/:id', {}, ({ work, id }) => work.get('dispute', id)),
  route(
    'GET /v1/disputes',
    { ...paging, charge: text, created: range, payment_intent: text },
    ({ work, params: { charge, payment_intent, created, ...page } }) =>
      work.list('dispute', '/v1/disputes', { match: { charge, payment_intent }, created }, page),
  ),
]

/** The tax of the invoice, so that both add up. */
async function taxOf(work: Work, invoice: Invoice) {
  const [tax] = invoice.total_taxes
  return tax
    ? { rate: await work.get('tax_rate', tax.tax_rate_details.tax_rate), reason: tax.taxability_reason }
    : null
}

export const creditNoteRoutes = [
  route(
    'POST /v1/credit_notes',
    {
      amount: required(integer),
      credit_amount: integer,
      email_type: choice('credit_note', 'none'),
      invoice: required(text),
      refunds: list(required(group({ amount_refunded: required(integer), refund: required(text) }))),
    },
    async ({ work, params: { amount, credit_amount: credited = 0, invoice: id, refunds = [] } }) => {
      const invoice = await work.claim('invoice', id)
      if (invoice.status !== 'paid') throw invalid('The sandbox credits only what was paid.', 'invoice')
      const fromBalance = (invoice.ending_balance ?? 0) - invoice.starting_balance
      const left = invoice.amount_paid + fromBalance - invoice.post_payment_credit_notes_amount
      if (amount < 1 || amount > left)
        throw invalid(`The credit note amount must be between 1 and ${left}.`, 'amount')
      if (refunds.reduce((sum, each) => sum + each.amount_refunded, credited) !== amount)
        throw invalid('The refunds and credits must add up to the amount of the credit note.', 'refunds')
      for (const [index, { refund: named }] of refunds.entries())
        await work.get('refund', named, `refunds[${index}][refund]`)
      const before = (await work.all('credit_note', { invoice: id })).length
      const tax = await taxOf(work, invoice)
      const note = await work.insert(newCreditNote({ now: work.now, invoice, amount, refunds, tax, before }))
      await work.save({
        ...invoice,
        post_payment_credit_notes_amount: invoice.post_payment_credit_notes_amount + amount,
      })
      const customer = await work.customer(invoice.customer)
      if (credited > 0) await work.save({ ...customer, balance: customer.balance - credited })
      work.emit('credit_note.created', note)
      return note
    },
  ),
  route('POST /v1/credit_notes/:id', {}, ({ work, id }) => work.get('credit_note', id)),
  route(
    'GET /v1/credit_notes',
    { ...paging, created: range, customer: text, invoice: text },
    ({ work, params: { customer, invoice, created, ...page } }) =>
      work.list('credit_note', '/v1/credit_notes', { match: { customer, invoice }, created }, page),
  ),
]
