import { expect, test } from 'vitest'
import { openTestSandbox } from './testing/open-test-sandbox.ts'

const at = (text: string) => Date.parse(text) / 1000

test('a customer on a test clock follows that clock alone', async () => {
  const { stripe, buy, sandbox } = await openTestSandbox()
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: at('2025-01-31T10:00:00Z') })
  const { subscription } = await buy('pm_card_visa', { customer: { test_clock: clock.id } })
  expect(subscription).toMatchObject({ created: at('2025-01-31T10:00:00Z'), test_clock: clock.id })

  await sandbox.controls.advance(2, 'month')
  const unchanged = await stripe.subscriptions.retrieve(subscription.id)
  expect(unchanged.items.data[0]?.current_period_end).toBe(at('2025-02-28T10:00:00Z'))

  const advancing = await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: at('2025-04-01T00:00:00Z') })
  expect(advancing.status).toBe('advancing')
  await expect.poll(async () => (await stripe.testHelpers.testClocks.retrieve(clock.id)).status).toBe('ready')
  const invoices = await stripe.invoices.list({ subscription: subscription.id })
  expect(invoices.data.map((invoice) => invoice.created)).toEqual([
    at('2025-03-31T10:00:00Z'),
    at('2025-02-28T10:00:00Z'),
    at('2025-01-31T10:00:00Z'),
  ])
})

test('a test clock only moves forward', async () => {
  const { stripe } = await openTestSandbox()
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: at('2025-01-31T10:00:00Z') })
  await expect(
    stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: at('2025-01-01T00:00:00Z') }),
  ).rejects.toThrow('after the current frozen time')
})
