import { expect, test } from 'vitest'
import { openTestSandbox } from './testing/open-test-sandbox.ts'

test('a payment is refunded in parts, never beyond what was paid', async () => {
  const { stripe, buy, sandbox, events } = await openTestSandbox()
  const { intent } = await buy()
  const refund = (amount?: number) =>
    stripe.refunds.create({ payment_intent: intent, ...(amount === undefined ? {} : { amount }) })
  expect(await refund(900)).toMatchObject({ amount: 900, status: 'succeeded' })
  await expect(refund(3001)).rejects.toThrow('greater than unrefunded amount on charge ($30.00)')
  expect(await refund()).toMatchObject({ amount: 3000 })
  await expect(refund()).rejects.toMatchObject({ code: 'charge_already_refunded' })
  const [charge] = (await stripe.charges.list({ payment_intent: intent, expand: ['data.refunds'] })).data
  expect(charge).toMatchObject({ amount_refunded: 3900, refunded: true, refunds: { data: [{}, {}] } })
  await sandbox.controls.webhooks.flush()
  expect(events.filter((event) => event.type === 'charge.refunded')).toHaveLength(2)
})

test('of 10 simultaneous full refunds, one is made', async () => {
  const { stripe, buy } = await openTestSandbox()
  const { intent } = await buy()
  const results = await Promise.allSettled(
    Array.from({ length: 10 }, () => stripe.refunds.create({ payment_intent: intent })),
  )
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
})

test('a refund that the bank returns gives the money back to the shop', async () => {
  const { stripe, buy, sandbox, events } = await openTestSandbox()
  const { intent } = await buy()
  const refund = await stripe.refunds.create({ payment_intent: intent })
  await sandbox.controls.failRefund(refund.id)
  expect(await stripe.refunds.retrieve(refund.id)).toMatchObject({ status: 'failed' })
  const { latest_charge: charge } = await stripe.paymentIntents.retrieve(intent, { expand: ['latest_charge'] })
  expect(charge).toMatchObject({ amount_refunded: 0, refunded: false })
  await sandbox.controls.webhooks.flush()
  expect(events.map((event) => event.type)).toEqual(expect.arrayContaining(['refund.updated', 'refund.failed']))
})

test('an unpaid intent has nothing to refund', async () => {
  const { stripe, checkout } = await openTestSandbox()
  const { intent } = await checkout()
  await expect(stripe.refunds.create({ payment_intent: intent })).rejects.toThrow('does not have a successful charge')
})

test.for(['won', 'lost'] as const)('a dispute is opened and %s, with an event for each', async (outcome) => {
  const { stripe, buy, sandbox, events } = await openTestSandbox()
  const { intent } = await buy()
  const { id } = await sandbox.controls.openDispute(intent)
  expect(await stripe.disputes.retrieve(id)).toMatchObject({
    status: 'needs_response',
    amount: 3900,
    payment_intent: intent,
  })
  await expect(sandbox.controls.openDispute(intent)).rejects.toThrow('neither refunded nor disputed')
  await expect(stripe.refunds.create({ payment_intent: intent })).rejects.toMatchObject({ code: 'charge_disputed' })
  await sandbox.controls.closeDispute(id, outcome)
  expect((await stripe.disputes.list({ payment_intent: intent })).data).toMatchObject([{ status: outcome }])
  await expect(sandbox.controls.closeDispute(id, 'won')).rejects.toThrow('already closed')
  await sandbox.controls.webhooks.flush()
  const disputeEvents = events.filter((event) => /^charge\.dispute\.(created|closed)$/.test(event.type))
  const statusByEvent = disputeEvents.map(({ type, data }) => [type, (data.object as { status: string }).status])
  expect(Object.fromEntries(statusByEvent)).toEqual({
    'charge.dispute.created': 'needs_response',
    'charge.dispute.closed': outcome,
  })
})

test('an inquiry that becomes a dispute withdraws the amount, which a won dispute returns', async () => {
  const { stripe, buy, sandbox, events } = await openTestSandbox()
  const { intent } = await buy()
  const { controls } = sandbox
  const { id } = await controls.openDispute(intent, 'warning_needs_response')
  const readAmounts = async () => (await stripe.disputes.retrieve(id)).balance_transactions.map(({ amount }) => amount)
  expect(await readAmounts()).toEqual([])
  await controls.dashboard.moveDispute(id, 'needs_response')
  expect(await readAmounts()).toEqual([-3900])
  await controls.closeDispute(id, 'won')
  expect(await readAmounts()).toEqual([-3900, 3900])
  await controls.webhooks.flush()
  expect(events.map(({ type }) => type)).toContain('charge.dispute.funds_withdrawn')
})

test('a payment with the dispute test card is disputed a day later', async () => {
  const { stripe, buy, sandbox } = await openTestSandbox()
  const { intent } = await buy('pm_card_createDispute')
  expect((await stripe.disputes.list({ payment_intent: intent })).data).toEqual([])
  await sandbox.controls.advance(25, 'hour')
  expect((await stripe.disputes.list({ payment_intent: intent })).data).toMatchObject([{ status: 'needs_response' }])
})
