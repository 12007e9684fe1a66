import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { privatePackage } from '#contract/access/package.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { compareBooks } from '#server/testing/books.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { meaningOf, type StateAtStripe, words } from '#server/testing/subscription-states.ts'
import { createPostman, subscriptionEvent } from '#server/testing/webhooks.ts'

const everyState: StateAtStripe[] = []
for (const status of words.status)
  for (const cancellation of words.cancellation)
    for (const invoice of words.invoice)
      for (const payment of words.payment) everyState.push({ status, cancellation, invoice, payment })

test('every state that Stripe can report is in exactly one row of docs/subscription-states.md', () => {
  expect(everyState).toHaveLength(11 * 2 * 7 * 4)
  for (const state of everyState) expect(meaningOf(state)).toBeDefined()
  expect(() => meaningOf({ status: 'frozen', cancellation: 'none', invoice: 'paid', payment: 'kept' })).toThrow(
    'no row',
  )
})

describe('the shop', () => {
  let shop: TestShop
  beforeAll(async () => {
    shop = await openShop()
    await shop.sandbox.controls.webhooks.behave({ drop: true })
  })
  afterAll(() => shop.close())

  /** States of a paid purchase, which always has a first invoice and a first payment. */
  const paidStates = everyState.filter(
    ({ status, invoice, payment }) => !status.startsWith('incomplete') && invoice !== 'none' && payment !== 'none',
  )

  /** The first and the last state of each row of the table, or all states with `RUNS=all`. */
  const samplesOf = (status: string) => {
    const states = paidStates.filter((state) => state.status === status)
    if (process.env.RUNS === 'all') return states
    const statesByRow = Map.groupBy(states, meaningOf)
    return [...statesByRow.values()].flatMap((statesOfRow) => [...new Set([statesOfRow[0], statesOfRow.at(-1)])])
  }

  test.each(words.status.filter((status) => !status.startsWith('incomplete')))(
    'shows a subscription that is %s as the table says, in every combination of the other columns',
    async (status) => {
      const buyer = await shop.buyer()
      const setState = await createStateSetter(shop, buyer.purchase.paymentIntentId ?? '')
      for (const state of samplesOf(status)) {
        if (!state) continue
        await setState(state)
        const { purchase, endedBecause, access } = meaningOf(state)
        const [purchaseShown] = await buyer.call(purchases.list, {})
        const opened = buyer.call(privatePackage.show, {}).then(
          () => true,
          () => false,
        )
        expect({
          state,
          purchase: purchaseShown?.status,
          endedBecause: purchaseShown?.endedBecause,
          access: await opened,
        }).toEqual({ state, purchase, endedBecause, access })
      }
    },
  )

  test.each(['incomplete', 'incomplete_expired'])(
    'records no purchase for a subscription that is %s',
    async (status) => {
      const buyer = await shop.user()
      const { paymentIntentId } = await shop.begin(buyer)
      const setState = await createStateSetter(shop, paymentIntentId)
      for (const invoice of ['open', 'uncollectible', 'void'])
        await setState({ status, cancellation: 'none', invoice, payment: 'none' })
      expect(await buyer.call(purchases.list, {})).toEqual([])
    },
  )

  test('is compared with the table, which finds a wrong status', async () => {
    const buyer = await shop.buyer()
    await shop.connection.db.execute(
      sql`update purchases set status = 'pending_cancel' where id = ${buyer.purchase.id}`,
    )
    const { booked, wanted } = await compareBooks(shop)
    const ofBuyer = ({ email }: { email: string }) => email === buyer.user.email
    expect(booked.find(ofBuyer)).toMatchObject({ status: 'pending_cancel' })
    expect(wanted.find(ofBuyer)).toMatchObject({ status: 'active' })
  })
})

const pauseReasons: Record<string, string> = {
  paused: 'pause_requested',
  'paused after a trial': 'trial_end_without_payment_method',
  'paused unpaid': 'first_payment_failure',
}

async function createStateSetter(shop: TestShop, paymentIntentId: string) {
  const { db } = shop.connection
  const postman = createPostman({ url: shop.url, dataDir: shop.config.dataDir })
  const { rows } = await db.execute<{ id: string; invoice: string }>(sql`
    select s.id, s.data->>'latest_invoice' as invoice
    from sandbox.objects s join orders c on c.subscription_id = s.id
    where c.payment_intent_id = ${paymentIntentId}`)
  const { id = '', invoice = '' } = rows[0] ?? {}
  const update = (where: ReturnType<typeof sql>, change: object) =>
    db.execute(sql`update sandbox.objects set data = data || ${JSON.stringify(change)}::jsonb where ${where}`)

  return async (state: StateAtStripe) => {
    const now = Math.floor(Date.now() / 1000)
    await update(sql`id = ${id}`, {
      status: state.status === 'not collected' ? 'active' : state.status.replace(/^paused .*/, 'paused'),
      pause_collection: state.status === 'not collected' ? { behavior: 'void', resumes_at: null } : null,
      status_details: state.status.startsWith('paused')
        ? { paused: { type: 'subscription', transitioned_at: now, subscription: { type: pauseReasons[state.status] } } }
        : undefined,
      cancel_at_period_end: state.cancellation === 'scheduled',
      ended_at: state.status === 'canceled' || state.status === 'incomplete_expired' ? now : null,
    })
    // Clears the times of an earlier void, which would count as forgiven before the end.
    const noTransitions = { marked_uncollectible_at: null, voided_at: null }
    const isNeverTried = state.invoice === 'never tried'
    const invoiceState = { status: isNeverTried ? 'uncollectible' : state.invoice, attempt_count: isNeverTried ? 0 : 1 }
    await db.execute(sql`update sandbox.objects set data = jsonb_set(data || ${JSON.stringify(invoiceState)}::jsonb,
      '{status_transitions}', (data->'status_transitions') || ${JSON.stringify(noTransitions)}::jsonb) where id = ${invoice}`)
    await db.execute(
      sql`delete from sandbox.objects where kind in ('refund', 'dispute') and data->>'payment_intent' = ${paymentIntentId}`,
    )
    const isDisputed = state.payment === 'charged back'
    await update(sql`kind = 'charge' and data->>'payment_intent' = ${paymentIntentId}`, {
      amount_refunded: 0,
      refunded: false,
      disputed: false,
    })
    // The shop voids open invoices of ended subscriptions, which also cancels their payment intent.
    if (state.payment !== 'none') await update(sql`id = ${paymentIntentId}`, { status: 'succeeded' })
    if (state.payment === 'returned') await shop.sandbox.controls.refund(paymentIntentId)
    if (isDisputed) {
      const dispute = await shop.sandbox.controls.openDispute(paymentIntentId)
      await shop.sandbox.controls.closeDispute(dispute.id, 'lost')
    }
    const event = await subscriptionEvent(db, id)
    expect((await postman.post(event, postman.sign(event))).status).toBe(200)
  }
}
