import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { audit } from '#contract/admin/activity.ts'
import { ApiError } from '#contract/call.ts'
import { catalog } from '#contract/selling/catalog.ts'
import { checkout } from '#contract/selling/checkout.ts'
import { prices } from '#contract/selling/prices.ts'
import type { BillingType } from '#contract/statuses.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

/** Two processes on one database. */
let shops: [TestShop, TestShop]
beforeAll(async () => {
  const first = await openShop()
  shops = [first, await openShop({ databaseUrl: first.connection.url })]
})
afterAll(async () => {
  for (const shop of [...shops].toReversed()) await shop.close()
})

const planOf = async (shop: TestShop, billing: BillingType) => {
  const plans = await (await shop.admin()).call(prices.adminList, {})
  const plan = plans.find(({ billingType }) => billingType === billing)
  if (!plan) throw new Error('There is no such plan')
  return plan
}

async function publish(
  shop: TestShop,
  billingType: BillingType,
  input: { amount: number; regularAmount?: number; from?: string; after?: number },
) {
  const { productId, publications } = await planOf(shop, billingType)
  const after = publications[0]?.number ?? 0
  await (await shop.admin()).call(prices.adminPublish, { productId, billingType, after, ...input })
}

const shownPrice = async (shop: TestShop, billing: BillingType) => {
  const [product] = await shop.visitor().call(catalog.list, {})
  return (billing === 'yearly' ? product?.yearlyPrice : product?.monthlyPrice) ?? 0
}

const states = async (billing: BillingType) =>
  (await planOf(shops[0], billing)).publications.map(({ amount, state }) => `${amount} ${state}`)

const billedPrices = async () => {
  const { rows } = await shops[0].connection.db.execute<{ id: string; price: string; amount: number }>(sql`
    select s.id, p.id as price, (p.data->>'unit_amount')::int as amount from sandbox.objects s
    join sandbox.objects p on p.id = s.data->'items'->'data'->0->'price'->>'id' or p.id = s.data->'items'->'data'->0->>'price'
    where s.kind = 'subscription'`)
  return new Map(rows.map(({ id, ...price }) => [id, price]))
}

test('the first price comes from the file, and a scheduled price waits for its day or is replaced by the next one', async () => {
  const [shop, secondProcess] = shops
  expect(await states('yearly')).toEqual(['39000 current'])
  const inFiveDays = new Date(shop.clock.now().getTime() + 5 * 86_400_000).toISOString().slice(0, 10)
  await publish(shop, 'yearly', { amount: 45000, regularAmount: 59000, from: inFiveDays })
  expect(await states('yearly')).toEqual(['45000 planned', '39000 current'])
  await publish(secondProcess, 'yearly', { amount: 49550 })
  expect(await states('yearly')).toEqual(['49550 current', '45000 called off', '39000 past'])
  expect(await shownPrice(shop, 'yearly')).toBe(49550)
  const inTwoDays = new Date(shop.clock.now().getTime() + 2 * 86_400_000).toISOString().slice(0, 10)
  await publish(shop, 'yearly', { amount: 47000, from: inTwoDays })
  for (const each of shops) each.clock.advance({ days: 6 })
  expect(await states('yearly')).toEqual(['47000 current', '49550 past', '45000 called off', '39000 past'])
  expect(await shownPrice(secondProcess, 'yearly')).toBe(47000)
  const admin = await shop.admin()
  expect((await admin.call(audit.adminList, { q: 'price.publish' }))[0]).toMatchObject({
    subject: 'rebound-sigma-pro yearly',
    detail: { amount: 47000 },
  })
})

test('impossible prices are refused, and so is a price published over one that the seller has not seen', async () => {
  const [shop] = shops
  const expectRefused = (input: Parameters<typeof publish>[2], status: number) =>
    expect(publish(shop, 'monthly', input)).rejects.toMatchObject({ status })
  const statesBefore = await states('monthly')
  await expectRefused({ amount: 99 }, 400)
  await expectRefused({ amount: 4900, regularAmount: 4900 }, 400)
  await expectRefused({ amount: 4900, from: '2020-01-01' }, 400)
  await expectRefused({ amount: 4900, from: '2099-01-01' }, 400)
  await expectRefused({ amount: 4900, after: 0 }, 400)
  await publish(shop, 'monthly', { amount: 3900 })
  const outdatedInput = { amount: 4900, after: 1 }
  await expectRefused(outdatedInput, 409)
  // The refused price has not taken the lookup key at Stripe.
  const { rows } = await shop.connection.db.execute<{ amount: number }>(sql`select (data->>'unit_amount')::int as amount
    from sandbox.objects where kind = 'price' and data->>'lookup_key' = 'rebound-sigma-pro-monthly-2'`)
  expect(rows).toEqual([{ amount: 3900 }])
  expect(await states('monthly')).toEqual(['3900 current', ...statesBefore.map(() => '3900 past')])
})

test('a published price can’t be changed, not even with SQL', async () => {
  const { pool } = shops[0].connection
  for (const statement of ['update prices set amount = 1', 'delete from prices', 'truncate prices'])
    await expect(pool.query(statement)).rejects.toThrow('A price is never changed')
  await pool.query('update prices set stripe_price_id = stripe_price_id')
})

/** `servedBy` is the index of the process that serves the step. */
type Step =
  | { kind: 'publish'; servedBy: 0 | 1; amount: number }
  | { kind: 'look'; servedBy: 0 | 1 }
  | { kind: 'begin'; servedBy: 0 | 1 }
  | { kind: 'pay' }

const servedBy = fc.constantFrom<0 | 1>(0, 1)
const anyStep = fc.oneof(
  fc.record({ kind: fc.constant('publish'), servedBy, amount: fc.constantFrom(3900, 4500, 4950) }),
  fc.record({ kind: fc.constant('look'), servedBy }),
  fc.record({ kind: fc.constant('begin'), servedBy }),
  fc.record({ kind: fc.constant('pay') }),
) as fc.Arbitrary<Step>

function expectToSeeAnotherPrice(refusal: ApiError, seenAmount: number) {
  expect(refusal).toMatchObject({ status: 409, code: 'price-changed' })
  expect(refusal.currentAmount).not.toBe(seenAmount)
}

async function expectPaid({ paymentIntentId, seenAmount }: { paymentIntentId: string; seenAmount: number }) {
  const { rows } = await shops[1].connection.db.execute<{ paid: number; price: number }>(sql`
    select last_paid_amount as paid, price from purchases where payment_intent_id = ${paymentIntentId}`)
  expect(rows).toEqual([{ paid: seenAmount, price: seenAmount }])
}

test('while prices are published, a buyer pays the shown price or nothing, and running subscriptions keep theirs', async () => {
  let buyers = 0
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 6, maxLength: 14 }), async (story) => {
      const billedBefore = await billedPrices()
      const visitors = [shops[0].visitor(), shops[1].visitor()] as const
      const email = `price-${buyers++}@example.com`
      let seenAmount = await shownPrice(shops[0], 'monthly')
      const beginnings: { seenAmount: number; amountDue: number }[] = []
      let begun: { clientSecret: string; paymentIntentId: string; seenAmount: number } | undefined
      for (const step of story) {
        if (step.kind === 'publish') await publish(shops[step.servedBy], 'monthly', { amount: step.amount })
        if (step.kind === 'look') seenAmount = await shownPrice(shops[step.servedBy], 'monthly')
        if (step.kind === 'begin') {
          const answer = await visitors[step.servedBy]
            .call(checkout.createSubscriptionIntent, {
              productSlug: 'rebound-sigma-pro',
              billingType: 'monthly',
              amount: seenAmount,
              email: `${step.servedBy}-${email}`,
            })
            .catch((error: unknown) => error)
          if (answer instanceof ApiError) {
            expectToSeeAnotherPrice(answer, seenAmount)
            continue
          }
          const { clientSecret, amountDue } = answer as { clientSecret: string; amountDue: number }
          beginnings.push({ seenAmount, amountDue })
          begun = { clientSecret, paymentIntentId: clientSecret.split('_secret_')[0] ?? '', seenAmount }
        }
        if (step.kind === 'pay' && begun) {
          await shops[0].pay(begun)
          await shops[0].settle()
          await expectPaid(begun)
          break
        }
      }
      for (const begin of beginnings) expect(begin.amountDue).toBe(begin.seenAmount)
      const billedAfter = await billedPrices()
      for (const [id, price] of billedBefore) expect(billedAfter.get(id)).toEqual(price)
    }),
    { numRuns: 15 },
  )
  const billedBeforeRenewal = await billedPrices()
  const amounts = new Set([...billedBeforeRenewal.values()].map(({ amount }) => amount))
  expect(amounts.size).toBeGreaterThan(1)
  await shops[0].advance(1, 'month')
  expect(await billedPrices()).toEqual(billedBeforeRenewal)
})
