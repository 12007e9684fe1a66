import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { ApiError } from '#contract/call.ts'
import { checkout } from '#contract/selling/checkout.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { compareBooks } from '#server/testing/books.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { createPostman } from '#server/testing/webhooks.ts'

async function expectExactBooks(shop: TestShop) {
  const { booked, wanted } = await compareBooks(shop)
  expect(booked).toEqual(wanted)
  return booked
}

const receipts = async (shop: TestShop) =>
  (await shop.mails()).filter(({ subject }) => subject === 'Your receipt: Rebound Sigma Pro')

async function payAsGuests(shop: TestShop, count: number, webhooks: { delaySeconds: number } | { drop: true }) {
  await shop.sandbox.controls.webhooks.behave(webhooks)
  const pay = async () => {
    const visitor = shop.visitor()
    return { visitor, ...(await shop.guest(visitor)) }
  }
  const guests = []
  while (guests.length < count) guests.push(...(await Promise.all(Array.from({ length: 10 }, pay))))
  await shop.sandbox.controls.settle()
  await shop.sandbox.controls.webhooks.behave({})
  return guests
}

async function retryWhileOverloaded<Answer>(request: () => Promise<Answer>): Promise<Answer> {
  for (;;)
    try {
      const answer = await request()
      if (!(answer instanceof Response) || answer.status !== 503) return answer
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 503) throw error
    }
}

/** Each pair is a returning browser and a webhook for the same payment. 200 pairs take two minutes. */
const pairs = Number(process.env.PAIRS ?? 10)
/** Concurrency of Stripe's webhooks. */
const webhookSenders = 16

test(`${pairs} returning browsers and ${pairs} webhooks at the same time book ${pairs} purchases`, {
  timeout: 180_000,
}, async () => {
  await using shop = await openShop()
  const guests = await payAsGuests(shop, pairs, { drop: true })
  const { rows } = await shop.connection.db.execute<{ data: object }>(
    sql`select data from sandbox.events where type = 'invoice.paid'`,
  )
  const { post, sign } = createPostman({ url: shop.url, dataDir: shop.config.dataDir })
  // The senders share one iterator, so each event is delivered once.
  const undeliveredEvents = rows.values()
  const statuses: number[] = []
  const deliverEvents = async () => {
    for (const { data } of undeliveredEvents) {
      const body = JSON.stringify(data)
      statuses.push((await retryWhileOverloaded(() => post(body, sign(body)))).status)
    }
  }
  const confirmInBrowser = async ({ visitor, paymentIntentId }: (typeof guests)[number]) => {
    const confirm = () => retryWhileOverloaded(() => visitor.call(checkout.confirm, { paymentIntentId }))
    await retryWhileOverloaded(() => visitor.call(checkout.guestPurchaseLogin, { paymentIntentId }))
    await Promise.all([confirm(), confirm()])
  }
  await Promise.all([...Array.from({ length: webhookSenders }, deliverEvents), ...guests.map(confirmInBrowser)])
  expect(statuses).toEqual(Array(pairs).fill(200))
  expect(await expectExactBooks(shop)).toHaveLength(pairs)
  expect(await receipts(shop)).toHaveLength(pairs)
})

test('50 cancellations at once become one at Stripe, and all succeed', async () => {
  await using shop = await openShop()
  const buyer = await shop.buyer()
  const { id } = buyer.purchase
  await Promise.all(Array.from({ length: 50 }, () => buyer.call(purchases.cancel, { id })))
  await shop.settle()
  const { rows } = await shop.connection.db.execute<{ count: number }>(sql`
    select count(*)::int as count from sandbox.events
    where type = 'customer.subscription.updated'
      and data->'data'->'previous_attributes'->>'cancel_at_period_end' = 'false'`)
  expect(rows[0]?.count).toBe(1)
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'pending_cancel' }])
  const mails = (await shop.mails()).filter(({ subject }) => subject === 'Your subscription will be cancelled')
  expect(mails).toHaveLength(1)
})

describe('the order of events', () => {
  test('doesn’t change the books or the emails', async () => {
    await using shop = await openShop()
    await shop.sandbox.controls.webhooks.behave({ drop: true })
    const types = ['invoice.paid', 'payment_intent.succeeded', 'customer.subscription.updated', 'charge.refunded']
    // In these six orders, any three events arrive in each of their orders.
    const orders = ['0123', '0321', '1302', '2103', '3120', '2301']
    for (const order of orders) {
      const { paymentIntentId } = await shop.guest(shop.visitor())
      await shop.sandbox.controls.settle()
      await shop.sandbox.controls.refund(paymentIntentId, 500)
      for (const index of order) await redeliverLatest(shop, types[Number(index)] ?? '')
    }
    const booked = await expectExactBooks(shop)
    expect(booked).toHaveLength(orders.length)
    for (const purchase of booked) expect(purchase).toMatchObject({ status: 'active', refundedAmount: 500 })
    expect(await receipts(shop)).toHaveLength(orders.length)
  })

  async function redeliverLatest(shop: TestShop, type: string) {
    const { rows } = await shop.connection.db.execute<{ id: string }>(
      sql`select id from sandbox.events where type = ${type} order by seq desc limit 1`,
    )
    if (rows[0]) await shop.sandbox.controls.webhooks.redeliver(rows[0].id)
  }
})

test('after three days without webhooks, the reconciler restores Stripe’s exact state', async () => {
  await using shop = await openShop()
  const { controls } = shop.sandbox
  const [refunded, disputed, renewing] = [await shop.buyer(), await shop.buyer(), await shop.buyer()]
  await shop.settle()
  await controls.webhooks.behave({ drop: true })
  await shop.guest(shop.visitor())
  await controls.refund(refunded.purchase.paymentIntentId ?? '')
  const dispute = await controls.openDispute(disputed.purchase.paymentIntentId ?? '')
  await controls.closeDispute(dispute.id, 'lost')
  await renewing.call(purchases.cancel, { id: renewing.purchase.id })
  await shop.advance(3, 'day')
  await shop.queue.runNow('reconcile')
  const booked = await expectExactBooks(shop)
  expect(booked.map(({ status }) => status).toSorted()).toEqual(['active', 'cancelled', 'cancelled', 'pending_cancel'])
})

test('thousands of unhandled events are processed in one go', async () => {
  await using shop = await openShop()
  await shop.connection.db.execute(
    sql`insert into stripe_events (id, type) select 'evt_' || n, 'customer.updated' from generate_series(1, 2500) n`,
  )
  await shop.queue.runNow('reconcile')
  const { rows } = await shop.connection.db.execute(sql`select id from stripe_events where handled_at is null`)
  expect(rows).toEqual([])
})

test('two servers on one database book each payment once', async () => {
  await using firstProcess = await openShop()
  await using secondProcess = await openShop({ databaseUrl: firstProcess.connection.url })
  const guests = await payAsGuests(firstProcess, 10, { delaySeconds: 3600 })
  await Promise.all([
    firstProcess.sandbox.controls.webhooks.flush(),
    secondProcess.sandbox.controls.webhooks.flush(),
    ...guests.map(async ({ visitor, paymentIntentId }, number) => {
      const browser = (number % 2 ? firstProcess : secondProcess).visitor()
      for (const [name, value] of visitor.cookies) browser.cookies.set(name, value)
      await browser.call(checkout.guestPurchaseLogin, { paymentIntentId })
      await browser.call(checkout.confirm, { paymentIntentId })
    }),
  ])
  expect(await expectExactBooks(firstProcess)).toHaveLength(10)
  expect([...(await receipts(firstProcess)), ...(await receipts(secondProcess))]).toHaveLength(10)
})
