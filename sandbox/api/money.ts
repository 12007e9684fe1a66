import { refund } from '../billing/disputes.ts'
import { voidInvoice } from '../billing/invoices.ts'
import { payInvoice, upToDate } from '../billing/subscriptions.ts'
import { invalid } from '../failure.ts'
import type { Work } from '../work.ts'
import { resolveMethod } from './methods.ts'
import { choice, flag, group, integer, metadata, paging, range, required, text } from './params.ts'
import { route } from './route.ts'

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
    'GET',
    '/v1/invoices/search',
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
  route('GET', '/v1/invoices/:id', {}, ({ work, id }) => work.get('invoice', id)),
  route(
    'GET',
    '/v1/invoices',
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
    'POST',
    '/v1/invoices/:id/pay',
    { off_session: flag, payment_method: text },
    async ({ work, id, params }) => {
      const invoice = await work.claim('invoice', id)
      const method = params.payment_method ? await resolveMethod(work, params.payment_method) : undefined
      return payInvoice(work, invoice, method)
    },
  ),
  route('POST', '/v1/invoices/:id/void', {}, async ({ work, id }) => {
    const invoice = await upToDate(work, await work.claim('invoice', id))
    if (invoice.status !== 'open') {
      throw invalid(
        `You can only pass in open or uncollectible invoices. This invoice is ${invoice.status}.`,
        'invoice',
      )
    }
    return voidInvoice(work, invoice)
  }),
  route(
    'GET',
    '/v1/invoice_payments',
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
  route('GET', '/v1/invoice_payments/:id', {}, ({ work, id }) => work.get('invoice_payment', id)),
  route('GET', '/v1/charges/:id', {}, ({ work, id }) => work.get('charge', id)),
  route(
    'GET',
    '/v1/charges',
    { ...paging, created: range, customer: text, payment_intent: text },
    ({ work, params: { customer, payment_intent, created, ...page } }) =>
      work.list('charge', '/v1/charges', { match: { customer, payment_intent }, created }, page),
  ),
  route(
    'POST',
    '/v1/refunds',
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
  route('GET', '/v1/refunds/:id', {}, ({ work, id }) => work.get('refund', id)),
  route(
    'GET',
    '/v1/refunds',
    { ...paging, charge: text, created: range, payment_intent: text },
    ({ work, params: { charge, payment_intent, created, ...page } }) =>
      work.list('refund', '/v1/refunds', { match: { charge, payment_intent }, created }, page),
  ),
  route('GET', '/v1/disputes/:id', {}, ({ work, id }) => work.get('dispute', id)),
  route(
    'GET',
    '/v1/disputes',
    { ...paging, charge: text, created: range, payment_intent: text },
    ({ work, params: { charge, payment_intent, created, ...page } }) =>
      work.list('dispute', '/v1/disputes', { match: { charge, payment_intent }, created }, page),
  ),
]
