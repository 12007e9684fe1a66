import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { figures } from '#contract/admin/figures.ts'
import { type BookedMonth, bookkeeping } from '#contract/selling/bookkeeping.ts'
import { checkout } from '#contract/selling/checkout.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

async function rowsOf<StoredRow>(shop: TestShop, statement: string): Promise<StoredRow[]> {
  return (await shop.connection.pool.query(statement)).rows
}

const sandboxTotals = (shop: TestShop) =>
  rowsOf<{ net: number; payouts: number; lines: number }>(
    shop,
    `select coalesce(sum((data->>'net')::int) filter (where data->>'type' <> 'payout'), 0)::int as net,
       (select coalesce(sum((data->>'amount')::int), 0)::int from sandbox.objects where kind = 'payout') as payouts,
       count(*)::int as lines
     from sandbox.objects where kind = 'balance_transaction'`,
  )

describe('the balance at Stripe', () => {
  const actions = fc.array(
    fc.record({
      act: fc.constantFrom('buy', 'refund', 'refund a part', 'dispute', 'win', 'lose', 'fail a refund', 'wait', 'read'),
      days: fc.integer({ min: 1, max: 9 }),
    }),
    { minLength: 4, maxLength: 12 },
  )

  let shop: TestShop
  beforeAll(async () => {
    shop = await openShop()
  })
  afterAll(() => shop.close())

  test('is copied to the cent, in any order of payments, refunds, disputes and payouts', async () => {
    await fc.assert(
      fc.asyncProperty(actions, fc.constantFrom('usd' as const, 'chf' as const), async (steps, settlesIn) => {
        const { controls } = shop.sandbox
        await controls.behave({ settlesIn })
        const paid: string[] = []
        for (const { act, days } of steps) await perform(paid, act, days)
        await shop.advance(4, 'day')
        await shop.queue.runNow('read-balance')
        await shop.queue.waitUntilIdle()

        const [expected] = await sandboxTotals(shop)
        const admin = await shop.admin()
        const { months, fault } = await admin.call(bookkeeping.adminMonths, {})
        const totals = { net: 0, paidOut: 0, netOfParts: 0 }
        for (const { settled } of months) {
          const { net, paidOut, gross, refunds, disputes, other, fees } = settled
          totals.net += net
          totals.paidOut += paidOut
          totals.netOfParts += gross + refunds + disputes + other - fees
        }
        expect(fault).toBeNull()
        expect(totals).toEqual({ net: expected?.net, paidOut: expected?.payouts, netOfParts: expected?.net })
        const stored = await rowsOf<{ lines: number }>(shop, 'select count(*)::int as lines from balance_transactions')
        expect(stored[0]?.lines).toBe(expected?.lines)
        for (const payout of await admin.call(bookkeeping.adminPayouts, {})) {
          const lines = await admin.call(bookkeeping.adminPayoutLines, { id: payout.id })
          expect(payout).toMatchObject({ difference: 0, lines: lines.length })
          expect(lines.reduce((total, { settled }) => total + settled.net, 0)).toBe(payout.amount)
        }
      }),
      { numRuns: 6 },
    )
  })

  async function perform(paid: string[], act: string, days: number) {
    const { controls } = shop.sandbox
    const latest = paid.at(-1)
    if (act === 'wait') return shop.advance(days, 'day')
    if (act === 'read') return shop.queue.runNow('read-balance')
    if (act === 'buy' || !latest) {
      const { purchase } = await shop.buyer()
      paid.push(purchase.paymentIntentId ?? '')
      return shop.settle()
    }
    // Stripe refuses some actions, such as a second dispute or a refund above the payment.
    const tryAction = async () => {
      if (act === 'refund') await controls.refund(latest)
      if (act === 'refund a part') await controls.refund(latest, 500)
      if (act === 'fail a refund') await controls.failRefund((await controls.refund(latest, 700)).id)
      if (act === 'dispute') await controls.openDispute(latest)
      if (act === 'win') await controls.closeDispute((await controls.openDispute(latest)).id, 'won')
      if (act === 'lose') await controls.closeDispute((await controls.openDispute(latest)).id, 'lost')
    }
    await tryAction().catch(() => undefined)
    await shop.settle()
  }
})

describe('a shop that collects tax and settles in francs', () => {
  let shop: TestShop
  let admin: Awaited<ReturnType<TestShop['admin']>>
  const period = () => shop.clock.now().toISOString().slice(0, 7)
  beforeAll(async () => {
    shop = await openShop({ env: { TAX: 'stripe', SELLER_COUNTRY: 'Switzerland' } })
    // Starts early in a month, so that payments and payouts fall into the same one.
    const day = shop.clock.now().getUTCDate()
    if (day > 20) await shop.advance(32 - day, 'day')
    await shop.sandbox.controls.behave({ settlesIn: 'chf' })
    const refunded = await buyFrom('DE')
    await buyFrom('DE')
    await buyFrom('CH')
    await shop.sandbox.controls.refund(refunded, 1000)
    const disputed = await buyFrom('CH')
    await shop.sandbox.controls.closeDispute((await shop.sandbox.controls.openDispute(disputed)).id, 'lost')
    await shop.settle()
    await shop.advance(5, 'day')
    await shop.queue.runNow('read-balance')
    await shop.queue.waitUntilIdle()
    admin = await shop.admin()
  })
  afterAll(() => shop.close())

  async function buyFrom(country: string) {
    const buyer = await shop.user()
    const { clientSecret } = await buyer.call(checkout.createSubscriptionIntent, {
      productSlug: reboundSigmaPro.slug,
      billingType: 'monthly',
      place: { country },
    })
    const [paymentIntentId = ''] = clientSecret.split('_secret_')
    await shop.pay({ clientSecret, paymentIntentId })
    await shop.settle()
    return paymentIntentId
  }

  const parsed = async (response: Response) =>
    parse(await response.text(), { columns: true, bom: true }) as Record<string, string>[]

  test('adds up tax by country and rate, with sales apart from credits, also for a quarter and in euros', async () => {
    const taxes = await admin.call(bookkeeping.adminTaxes, { period: period() })
    expect(taxes).toEqual([
      {
        kind: 'sale',
        country: 'CH',
        region: null,
        rate: 8.1,
        originalMonth: null,
        count: 2,
        net: 7216,
        tax: 584,
        gross: 7800,
      },
      {
        kind: 'sale',
        country: 'DE',
        region: null,
        rate: 19,
        originalMonth: null,
        count: 2,
        net: 6554,
        tax: 1246,
        gross: 7800,
      },
      {
        kind: 'credit',
        country: 'CH',
        region: null,
        rate: 8.1,
        originalMonth: period(),
        count: 1,
        net: -3608,
        tax: -292,
        gross: -3900,
      },
      {
        kind: 'credit',
        country: 'DE',
        region: null,
        rate: 19,
        originalMonth: period(),
        count: 1,
        net: -840,
        tax: -160,
        gross: -1000,
      },
    ])
    const [year = '', month = ''] = period().split('-')
    const quarter = Math.ceil(Number(month) / 3)
    expect(await admin.call(bookkeeping.adminTaxes, { period: `${year}-Q${quarter}` })).toEqual(taxes)
    expect(await admin.call(bookkeeping.adminTaxes, { period: `${year}-Q${(quarter % 4) + 1}` })).toEqual([])
    const rows = await parsed(await admin.send(bookkeeping.adminExportTaxes, { period: period(), euroRate: 0.9 }))
    expect(rows[1]).toMatchObject({ Country: 'DE', 'Tax (USD)': '12.46', 'Tax (EUR)': '11.21' })
  })

  test('has each payment with its fee, its net amount in francs, and the day it is paid out', async () => {
    const listed = await admin.call(figures.adminPayments, { kind: 'payment' })
    expect(listed).toHaveLength(4)
    // $39.00 are 31.31 francs, and Stripe's fee is 2.9 % and 30 cents.
    const paymentFee = 115
    const disputeFee = 1208
    for (const payment of listed)
      expect(payment).toMatchObject({
        settled: { fee: paymentFee, net: 3131 - paymentFee, currency: 'chf' },
        paidOutAt: expect.any(String),
      })
    const [month] = (await admin.call(bookkeeping.adminMonths, {})).months
    expect(month).toMatchObject({
      month: period(),
      charged: { gross: 15_600, refunds: -1000, disputes: -3900 },
      settled: { currency: 'chf', gross: 12_524, refunds: -805, disputes: -3140, fees: 4 * paymentFee + disputeFee },
    })
  })

  test('exports a file for the bookkeeper with the same sums as the screens', async () => {
    const rows = await parsed(await admin.send(bookkeeping.adminExportMonth, { period: period() }))
    const sum = (column: string, kind?: string) => {
      let cents = 0
      for (const row of rows) if (!kind || row.Kind === kind) cents += Math.round(100 * Number(row[column]))
      return cents
    }
    const [{ settled }] = (await admin.call(bookkeeping.adminMonths, {})).months as [BookedMonth]
    expect(sum('Gross (USD)', 'payment')).toBe(15_600)
    expect(sum('Tax (USD)')).toBe(584 + 1246 - 292 - 160)
    expect(sum('Fee')).toBe(settled.fees)
    expect(sum('Net amount', 'payout')).toBe(-settled.paidOut)
    expect(sum('Net amount')).toBe(settled.net - settled.paidOut)
    expect(new Set(rows.map(({ Kind }) => Kind))).toEqual(new Set(['payment', 'refund', 'dispute', 'payout']))
  })

  test('is open to accountants, and says which permission a restricted key lacks', async () => {
    const accountant = await shop.staff('accountant')
    expect((await accountant.call(bookkeeping.adminPayouts, {})).length).toBeGreaterThan(0)
    await shop.sandbox.controls.behave({ key: { without: ['rak_balance_read'] } })
    await shop.queue.runNow('read-balance')
    await shop.queue.waitUntilIdle()
    const { fault, months } = await accountant.call(bookkeeping.adminMonths, {})
    expect(fault).toContain('rak_balance_read')
    expect(months).toHaveLength(1)
  })
})
