import { afterAll, beforeAll, expect, test } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { checkout } from '#contract/selling/checkout.ts'
import { codes } from '#contract/selling/codes.ts'
import { declarations } from '#contract/selling/declarations.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { declared } from '#server/testing/declarations.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import type { Visitor } from '#server/testing/visitor.ts'

let shop: TestShop
let admin: Awaited<ReturnType<TestShop['admin']>>
beforeAll(async () => {
  shop = await openShop()
  // Its clock stands where the words below expect it.
  admin = await shop.admin()
})
afterAll(() => shop.close())

const quote = (code: string, billingType: 'monthly' | 'yearly' = 'monthly', visitor: Visitor = shop.visitor()) =>
  visitor.call(checkout.quote, { productSlug: reboundSigmaPro.slug, billingType, code })
const shown = async (code: string) => (await admin.call(codes.adminList, {})).find((each) => each.code === code)
const refusal = { status: 409, code: 'code-refused' }
const inWords = (months: number, withYear = false) => {
  const at = new Date(shop.clock.now())
  at.setUTCMonth(at.getUTCMonth() + months)
  return at.toLocaleDateString('en-US', {
    month: 'short',
    day: 'numeric',
    timeZone: 'UTC',
    ...(withYear ? { year: 'numeric' } : {}),
  })
}

test('says what is paid when, before anyone pays, in the receipt and on the dashboard, and charges just that', async () => {
  await admin.call(codes.adminAdd, { code: 'once20', percentOff: 20, months: 0 })
  await admin.call(codes.adminAdd, { code: 'SPRING', percentOff: 10, months: 3 })
  await admin.call(codes.adminAdd, { code: 'FRIEND', amountOff: 500 })
  expect(await quote(' once20 ')).toEqual({
    code: 'ONCE20',
    worth: '20% off the first payment',
    due: 3120,
    charges: `$31.20 today, then $39.00 every month from ${inWords(1)}`,
  })
  expect(await quote('SPRING')).toMatchObject({
    worth: '10% off for 3 months',
    charges: `$35.10 today, then $35.10 every month from ${inWords(1)}, and $39.00 every month from ${inWords(3)}`,
  })
  // A year is longer than three months.
  expect(await quote('SPRING', 'yearly')).toMatchObject({
    due: 35_100,
    charges: `$351.00 today, then $390.00 every year from ${inWords(12, true)}`,
  })
  expect(await quote('FRIEND')).toMatchObject({
    worth: '$5.00 off, always',
    charges: `$34.00 today, then $34.00 every month from ${inWords(1)}`,
  })

  const bought = { once20: 3900, SPRING: 3510, FRIEND: 3400 }
  for (const [code, next] of Object.entries(bought)) {
    const { due, charges } = await quote(code)
    const buyer = await shop.buyer({ code })
    const [purchase] = await buyer.call(purchases.list, {})
    expect(purchase).toMatchObject({ amount: 3900, lastPaidAmount: due, nextAmount: next })
    expect(purchase?.charges).toBe(code === 'SPRING' ? charges.replace('$35.10 today, then ', '') : null)
    const receipt = (await shop.mails()).find(
      ({ to, subject }) => to === buyer.user.email && subject.startsWith('Your receipt'),
    )
    expect(receipt?.text).toContain(charges)
    const data: { discountCodes?: { code: string }[] } = await buyer.call(accounts.myData, {})
    expect(data.discountCodes).toMatchObject([{ code: code.toUpperCase() }])
  }
  expect(await shown('SPRING')).toMatchObject({ used: 1, late: 0, held: 0, state: 'running' })
})

test('gets one answer, whether it is unknown, over, stopped, for another plan, or for new customers only', async () => {
  await admin.call(codes.adminAdd, { code: 'YEARLY', percentOff: 50, billingType: 'yearly' })
  await admin.call(codes.adminAdd, { code: 'NEWCOMER', percentOff: 50, newOnly: true })
  await admin.call(codes.adminAdd, { code: 'STOPPED', percentOff: 50 })
  await admin.call(codes.adminStop, { id: (await shown('STOPPED'))?.id ?? '' })
  const day = (days: number) => new Date(shop.clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10)
  await admin.call(codes.adminAdd, { code: 'LATER', percentOff: 50, from: day(2) })
  const buyer = await shop.buyer()
  const answers = new Set<string>()
  for (const [code, who] of [
    ['UNKNOWN', shop.visitor()],
    ['YEARLY', shop.visitor()],
    ['STOPPED', shop.visitor()],
    ['LATER', shop.visitor()],
    ['NEWCOMER', buyer],
  ] as const) {
    const error = await quote(code, 'monthly', who).catch((reason: unknown) => reason)
    expect(error).toMatchObject(refusal)
    answers.add((error as { serverMessage: string }).serverMessage)
  }
  expect(answers.size).toBe(1)
  // A guest is known by the address that is typed at the checkout.
  expect(await quote('NEWCOMER')).toMatchObject({ due: 1950 })
  await shop.connection.pool.query(`update purchases set status = 'cancelled', ended_at = now() where id = $1`, [
    buyer.purchase.id,
  ])
  const guest = { code: 'NEWCOMER', email: buyer.user.email }
  await expect(shop.begin(shop.visitor(), guest)).rejects.toMatchObject(refusal)
})

test('leaves at least a dollar to pay, and is made once', async () => {
  const wrong = [
    { percentOff: 98 },
    { amountOff: 3801 },
    { amountOff: 38_901, billingType: 'yearly' as const },
    { percentOff: 10, amountOff: 100 },
    {},
    { percentOff: 10, until: '2020-01-01' },
  ]
  for (const [index, wish] of wrong.entries())
    await expect(admin.call(codes.adminAdd, { code: `WRONG-${index}`, ...wish })).rejects.toMatchObject({ status: 400 })
  await admin.call(codes.adminAdd, { code: 'DOLLAR', amountOff: 38_900, billingType: 'yearly' })
  const again = admin.call(codes.adminAdd, { code: 'dollar', percentOff: 1 })
  await expect(again).rejects.toMatchObject({ status: 400, fields: { code: expect.any(String) } })
  expect((await shop.buyer({ billing: 'yearly', code: 'DOLLAR' })).purchase).toMatchObject({
    amount: 39_000,
    lastPaidAmount: 100,
    nextAmount: 100,
  })
})

test('is held for 15 minutes and used as often as allowed in two processes; whoever pays late keeps it, and is counted', async () => {
  await using second = await openShop({
    databaseUrl: shop.config.databaseUrl ?? '',
    env: { DATA_DIR: shop.config.dataDir },
  })
  await admin.call(codes.adminAdd, { code: 'FEW', percentOff: 50, maxUses: 2 })
  const wanting = await Promise.all([shop, second, shop, second, shop].map((each) => each.user()))
  const first = await Promise.allSettled(wanting.map((buyer) => shop.begin(buyer, { code: 'FEW' })))
  const held = wanting.filter((_, index) => first[index]?.status === 'fulfilled')
  expect(held).toHaveLength(2)
  const refused = first.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  expect(refused).toMatchObject([refusal, refusal, refusal])
  // Another plan is another checkout, and the same hold.
  const [one, two] = held
  if (!one || !two) throw new Error('Nobody has it')
  const yearly = await shop.begin(one, { code: 'FEW', billing: 'yearly' })
  const monthly = await shop.begin(two, { code: 'FEW' })
  expect(await shown('FEW')).toMatchObject({ used: 0, held: 2 })
  // Who reloads the page has a use already; nobody else gets one.
  expect(await quote('FEW', 'monthly', two)).toBeTruthy()
  await expect(quote('FEW')).rejects.toMatchObject(refusal)

  for (const each of [shop, second]) each.clock.advance({ minutes: 16 })
  const others = wanting.filter((buyer) => !held.includes(buyer)).slice(0, 2)
  for (const buyer of others) await shop.buy(buyer, { code: 'FEW' })
  expect(await shown('FEW')).toMatchObject({ used: 2, late: 0, state: 'used up' })
  for (const [buyer, begun] of [
    [one, yearly],
    [two, monthly],
  ] as const) {
    await buyer.call(checkout.agree, { paymentIntentId: begun.paymentIntentId })
    await shop.pay(begun)
    await shop.confirmPurchase(buyer, begun)
  }
  expect(await shown('FEW')).toMatchObject({ used: 4, late: 2, held: 0 })
  expect(await one.call(purchases.list, {})).toMatchObject([{ lastPaidAmount: 19_500 }])
  await expect(quote('FEW')).rejects.toMatchObject(refusal)
})

test('is made again at Stripe if its coupon is gone; a withdrawal gives back what was paid, and no more', async () => {
  await admin.call(codes.adminAdd, { code: 'GONE', percentOff: 25, months: 0 })
  const coupon = (await shown('GONE'))?.id
  await shop.connection.pool.query('delete from sandbox.objects where id = $1', [coupon])
  const buyer = await shop.buyer({ code: 'GONE' })
  expect(buyer.purchase).toMatchObject({ lastPaidAmount: 2925, nextAmount: 3900 })
  await buyer.call(declarations.withdraw, declared(buyer.user.email))
  await shop.settle()
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'cancelled', refundedAmount: 2925 }])
})
