import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openTestSandbox } from './testing/open-test-sandbox.ts'

const at = (text: string) => Date.parse(text) / 1000

function lastDayOfMonth(moment: Date): number {
  const next = new Date(moment)
  next.setUTCDate(1)
  next.setUTCMonth(next.getUTCMonth() + 1)
  next.setUTCDate(0)
  return next.getUTCDate()
}

/** Counts the months since the year 0. */
const monthNumber = (moment: Date) => moment.getUTCFullYear() * 12 + moment.getUTCMonth()
const timeOfDay = (moment: Date) => moment.toISOString().slice(11)

test('over three years, from any day, every month is billed once, on the anchor’s day or the month’s last', async () => {
  const { stripe, buy, price } = await openTestSandbox()
  const monthly = (await price()).id
  const anyMoment = fc.integer({ min: at('2024-01-01T00:00:00Z'), max: at('2031-12-31T23:59:59Z') })

  async function billedFrom(start: number): Promise<number[]> {
    const clock = await stripe.testHelpers.testClocks.create({ frozen_time: start })
    const { subscription } = await buy('pm_card_visa', { price: monthly, customer: { test_clock: clock.id } })
    await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: start + 3 * 366 * 86_400 })
    await expect.poll(async () => (await stripe.testHelpers.testClocks.retrieve(clock.id)).status).toBe('ready')
    const invoices = stripe.invoices.list({ subscription: subscription.id, status: 'paid', limit: 100 })
    const created = (await invoices.autoPagingToArray({ limit: 100 })).map((invoice) => invoice.created)
    return created.toReversed()
  }

  await fc.assert(
    fc.asyncProperty(anyMoment, async (start) => {
      const billed = await billedFrom(start)
      const anchor = new Date(start * 1000)
      expect(billed.length).toBeGreaterThanOrEqual(1 + 36)
      for (const [index, seconds] of billed.entries()) {
        const moment = new Date(seconds * 1000)
        expect(monthNumber(moment)).toBe(monthNumber(anchor) + index)
        expect(moment.getUTCDate()).toBe(Math.min(anchor.getUTCDate(), lastDayOfMonth(moment)))
        expect(timeOfDay(moment)).toBe(timeOfDay(anchor))
      }
    }),
    { numRuns: 4, examples: [[at('2025-01-31T12:00:00Z')], [at('2024-02-29T23:59:59Z')]] },
  )
}, 120_000)
