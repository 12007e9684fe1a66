import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { createStripeGateway, type StripeFault } from './stripe.ts'

type Request = { method: string; path: string; query: URLSearchParams; body: string; key: string | undefined }
type Reply = { status: number; body: object; headers?: Record<string, string> }

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** Opens a gateway to a Stripe whose every answer the test writes. */
async function openGateway(answer: (request: Request) => Reply) {
  const requests: Request[] = []
  const server = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      const { pathname: path, searchParams: query } = new URL(incoming.url ?? '', 'http://stripe')
      const key = incoming.headers['idempotency-key']
      const request = {
        method: incoming.method ?? '',
        path,
        query,
        body,
        key: typeof key === 'string' ? key : undefined,
      }
      requests.push(request)
      const reply = answer(request)
      response
        .writeHead(reply.status, {
          'content-type': 'application/json',
          'request-id': 'req_123',
          'stripe-should-retry': 'false',
          ...reply.headers,
        })
        .end(JSON.stringify(reply.body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => server.close())
  const faults: StripeFault[] = []
  const stripe = createStripeGateway({
    secretKey: 'sk_test_1',
    webhookSecret: '',
    address: { protocol: 'http', host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    report: (fault) => faults.push(fault),
  })
  return { stripe, faults, requests, close: () => server.close() }
}

const error = (type: string, fields: object = {}) => ({ error: { type, message: 'Stripe’s own words', ...fields } })

test.each([
  ['a rolled key', 401, error('invalid_request_error')],
  ['a missing permission', 403, error('invalid_request_error')],
  ['a mistake on our side', 400, error('invalid_request_error', { code: 'parameter_unknown' })],
  ['a refusal without a code', 400, error('invalid_request_error')],
  ['an answer that makes no sense', 400, { message: 'from some proxy' }],
])('%s answers 502 with our own message, and is reported', async (_fault, status, body) => {
  const { stripe, faults } = await openGateway(() => ({ status, body }))
  await expect(stripe.invoices.links('in_1')).rejects.toMatchObject({
    status: 502,
    message: expect.stringContaining('our payment service'),
  })
  expect(faults).toMatchObject([{ isOutage: false }])
  expect((await stripe.faults.get()).values).toMatchObject([{ value: 1 }])
})

test('a report contains the request’s id, as Stripe’s dashboard shows it', async () => {
  const { stripe, faults } = await openGateway(() => ({ status: 401, body: error('invalid_request_error') }))
  await expect(stripe.subscriptions.read('sub_1')).rejects.toMatchObject({ status: 502 })
  expect(faults).toEqual([
    {
      type: 'StripeAuthenticationError',
      status: 401,
      code: undefined,
      message: 'Stripe’s own words',
      requestId: 'req_123',
      isOutage: false,
    },
  ])
  expect((await stripe.faults.get()).values).toEqual([{ labels: { type: 'StripeAuthenticationError' }, value: 1 }])
})

test.each([
  ['an outage', 500, {}, 5],
  ['too many requests', 429, {}, 5],
  ['too many requests, with a wait time', 429, { 'retry-after': '17' }, 17],
])('%s answers 503 and says when to try again', async (_fault, status, headers, retryAfterSeconds) => {
  const { stripe, faults } = await openGateway(() => ({ status, body: error('api_error'), headers }))
  await expect(stripe.subscriptions.read('sub_1')).rejects.toMatchObject({
    status: 503,
    details: { retryAfterSeconds },
  })
  expect(faults).toMatchObject([{ isOutage: true }])
})

test('while Stripe cannot be reached, the shop answers 503 and says when to try again', async () => {
  const { stripe, close } = await openGateway(() => ({ status: 200, body: {} }))
  close()
  await expect(stripe.subscriptions.useCard('sub_1', 'pm_1')).rejects.toMatchObject({
    status: 503,
    details: { retryAfterSeconds: 5 },
  })
})

test('the buyer reads in our words why a card was declined, and no fault is reported', async () => {
  const { stripe, faults } = await openGateway(({ method }) =>
    method === 'POST'
      ? { status: 402, body: error('card_error', { code: 'card_declined', decline_code: 'insufficient_funds' }) }
      : { status: 200, body: { object: 'invoice', status: 'open' } },
  )
  await expect(stripe.invoices.pay('in_1', 'pm_1')).rejects.toMatchObject({
    status: 402,
    message: 'There isn’t enough money on this card. Use another card, or try again later.',
  })
  expect(faults).toEqual([])
})

test('paying an invoice that is already paid succeeds, whatever Stripe’s refusal says', async () => {
  const { stripe, faults } = await openGateway(({ method }) =>
    method === 'POST'
      ? { status: 400, body: error('invalid_request_error') }
      : { status: 200, body: { object: 'invoice', status: 'paid' } },
  )
  expect(await stripe.invoices.pay('in_1', 'pm_1')).toEqual({ state: 'done', confirmWith: null })
  expect(faults).toEqual([])
})

test('a payment with a card tells Stripe that the buyer is present', async () => {
  const { stripe, requests } = await openGateway(() => ({ status: 200, body: { object: 'invoice' } }))
  await stripe.invoices.pay('in_1', 'pm_1')
  expect(requests).toMatchObject([{ body: expect.stringContaining('off_session=false') }])
})

/** Repeats the first answer to an idempotency key, even a failure, as Stripe does. */
function replayPerKey(perform: (request: Request) => Reply) {
  const replies = new Map<string, Reply>()
  return (request: Request) => {
    const reply = replies.get(request.key ?? '') ?? perform(request)
    if (request.key) replies.set(request.key, reply)
    return reply
  }
}

test('a cancellation gets a new idempotency key when Stripe keeps answering the old one with a failure', async () => {
  let failures = 2
  let willEnd = false
  const subscription = () => ({
    status: 200,
    body: {
      object: 'subscription',
      cancel_at_period_end: willEnd,
      cancel_at: null,
      items: { data: [{ current_period_end: 1_800_000_000 }] },
    },
  })
  const { stripe } = await openGateway(
    replayPerKey(({ method }) => {
      if (method === 'POST' && failures-- > 0) return { status: 500, body: error('api_error') }
      if (method === 'POST') willEnd = true
      return subscription()
    }),
  )
  await stripe.subscriptions.cancel('sub_1', 'cancel-sub_1-7')
  expect(willEnd).toBe(true)
})

test('a cancellation that failed is sent again, even if a later end was set before', async () => {
  const subscription = { object: 'subscription', cancel_at_period_end: false, cancel_at: 1_900_000_000 }
  let failures = 1
  const { stripe, requests } = await openGateway(({ method }) =>
    method === 'POST' && failures-- > 0
      ? { status: 500, body: error('api_error') }
      : { status: 200, body: { ...subscription, items: { data: [{ current_period_end: 1_800_000_000 }] } } },
  )
  await stripe.subscriptions.cancel('sub_1', 'cancel-sub_1-8')
  expect(requests.filter(({ method }) => method === 'POST').length).toBeGreaterThan(1)
})

test('a refund that Stripe made before its answer failed is not made again', async () => {
  let refunds = 0
  const list = () => ({ object: 'list', data: Array.from({ length: refunds }, () => ({ object: 'refund' })) })
  const { stripe } = await openGateway(
    replayPerKey(({ method }) => {
      if (method === 'GET') return { status: 200, body: list() }
      refunds += 1
      return { status: 500, body: error('api_error') }
    }),
  )
  await stripe.payments.refund('pi_1', async () => 3900)
  expect(refunds).toBe(1)
})

test('a second refund of a payment is a new refund, not a replay of the first answer', async () => {
  const refunds: object[] = []
  const { stripe } = await openGateway(
    replayPerKey(({ method }) => {
      if (method === 'GET') return { status: 200, body: { object: 'list', data: refunds } }
      refunds.push({ object: 'refund', status: 'succeeded' })
      return { status: 200, body: { object: 'refund', status: 'succeeded' } }
    }),
  )
  await stripe.payments.refund('pi_1', async () => 3900)
  await stripe.payments.refund('pi_1', async () => 3900)
  expect(refunds).toHaveLength(2)
})

test('a refund that the bank refuses immediately is reported as refused', async () => {
  const { stripe } = await openGateway(({ method }) => ({
    status: 200,
    body: method === 'GET' ? { object: 'list', data: [] } : { object: 'refund', status: 'failed' },
  }))
  await expect(stripe.payments.refund('pi_1', async () => 3900)).rejects.toMatchObject({ status: 409 })
})

test('a restricted key’s missing permissions are found without changing anything', async () => {
  const { stripe, requests, faults } = await openGateway(({ method, path }) => {
    const isForbidden = path.startsWith('/v1/refunds') || path === '/v1/events'
    if (isForbidden) return { status: 403, body: error('invalid_request_error') }
    const isList = method === 'GET' && !path.endsWith('_none')
    if (isList) return { status: 200, body: { object: 'list', data: [] } }
    return { status: 404, body: error('invalid_request_error', { code: 'resource_missing' }) }
  })
  expect(await stripe.account.missingPermissions()).toEqual(['Charges and refunds: write', 'Events: read'])
  const changing = requests.filter(({ method, path }) => method === 'POST' && !path.includes('_none'))
  // Stripe refuses an empty file.
  expect(changing).toMatchObject([{ path: '/v1/files', body: expect.stringContaining('filename="empty.pdf"') }])
  expect(faults).toEqual([])
})

const listOf = (...data: object[]) => ({ status: 200, body: { object: 'list', data, has_more: false } })

const paidSubscription = {
  object: 'subscription',
  id: 'sub_1',
  customer: 'cus_1',
  discounts: [],
  metadata: {},
  automatic_tax: { enabled: false, disabled_reason: null },
  items: { data: [{ price: { unit_amount: 3900 }, quantity: 1, current_period_end: 0 }] },
}
const paidInvoice = {
  id: 'in_1',
  lines: { data: [] },
  status_transitions: { paid_at: null },
  payments: { data: [{ payment: { type: 'payment_intent', payment_intent: 'pi_1' } }] },
}
const charge = { status: 'succeeded', created: 1, amount: 3900, amount_refunded: 0, payment_intent: 'pi_1' }

test('payments of a deleted customer can still be read, one by one', async () => {
  const { stripe } = await openGateway(({ path, query }) => {
    if (path === '/v1/subscriptions/sub_1') return { status: 200, body: paidSubscription }
    if (path === '/v1/invoices') return listOf(paidInvoice)
    if (query.has('customer'))
      return { status: 404, body: error('invalid_request_error', { code: 'resource_missing' }) }
    return listOf(charge)
  })
  expect((await stripe.subscriptions.read('sub_1')).payments).toMatchObject([{ paymentIntentId: 'pi_1', amount: 3900 }])
})

test('a payment is lost when the bank withdraws it, not when its inquiry was opened before', async () => {
  const inquiryOpenedAt = Date.UTC(2026, 9, 28) / 1000
  const withdrawnAt = Date.UTC(2026, 10, 3) / 1000
  const dispute = {
    id: 'du_1',
    status: 'lost',
    created: inquiryOpenedAt,
    amount: 3900,
    evidence_details: { due_by: null },
    balance_transactions: [{ amount: -3900, created: withdrawnAt }],
  }
  const { stripe } = await openGateway(({ path }) => {
    if (path === '/v1/subscriptions/sub_1') return { status: 200, body: paidSubscription }
    if (path === '/v1/invoices') return listOf(paidInvoice)
    if (path === '/v1/disputes') return listOf(dispute)
    return listOf({ ...charge, disputed: true })
  })
  const { payments } = await stripe.subscriptions.read('sub_1')
  expect(payments).toMatchObject([{ lost: { amount: 3900, at: new Date(withdrawnAt * 1000) } }])
})

test('of several payments of an invoice, only refunds of the default one get credit notes', async () => {
  const payment = (id: string, isDefault: boolean) => ({ is_default: isDefault, payment: { payment_intent: id } })
  const { stripe, requests } = await openGateway(({ path }) =>
    path === '/v1/invoices'
      ? listOf({
          id: 'in_1',
          status: 'paid',
          payments: { data: [payment('pi_1', false), payment('pi_2', true), payment('pi_3', false)] },
        })
      : listOf(),
  )
  await stripe.invoices.creditRefunds('sub_1', ['re_1'])
  const refundRequests = requests.filter(({ path }) => path === '/v1/refunds')
  expect(refundRequests.map(({ query }) => query.get('payment_intent'))).toEqual(['pi_2'])
})

test('a new subscription names its billing mode, which the account’s default would decide otherwise', async () => {
  const { stripe, requests } = await openGateway(() => ({
    status: 200,
    body: {
      object: 'subscription',
      id: 'sub_1',
      latest_invoice: {
        status: 'open',
        amount_due: 3900,
        confirmation_secret: { client_secret: 'pi_1_secret_1' },
        payments: { data: [{ is_default: true, payment: { payment_intent: 'pi_1' } }] },
      },
    },
  }))
  await stripe.newSubscriptions.create({ attempt: 'attempt', customerId: 'cus_1', priceId: 'price_1' })
  const sentFields = new URLSearchParams(requests[0]?.body)
  expect(sentFields.get('billing_mode[type]')).toBe('flexible')
  expect(sentFields.get('billing_mode[flexible][proration_discounts]')).toBe('included')
})
