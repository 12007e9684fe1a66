import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { checkout } from '#contract/selling/checkout.ts'
import { codes } from '#contract/selling/codes.ts'
import { declarations } from '#contract/selling/declarations.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { declared } from '#server/testing/declarations.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import type { Visitor } from '#server/testing/visitor.ts'

let shop: TestShop
let admin: Awaited<ReturnType<TestShop['admin']>>
beforeAll(async () => {
  shop = await openShop()
  admin = await shop.admin()
})
afterAll(() => shop.close())

const quote = (code: string, billingType: 'monthly' | 'yearly' = 'monthly', visitor: Visitor = shop.visitor()) =>
  visitor.call(checkout.quote, { productSlug: reboundSigmaPro.slug, billingType, code })
const findListed = async (code: string) => (await admin.call(codes.adminList, {})).find((each) => each.code === code)
const refusal = { status: 409, code: 'code-refused' }
const throwMissing = (): never => {
  throw new Error('There is none')
}
const dayInMonths = (months: number, withYear = false) => {
  const at = new Date(shop.clock.now())
  at.setUTCMonth(at.getUTCMonth() + months)
  return at.toLocaleDateString('en-US', {
    month: 'short',
    day: 'numeric',
    timeZone: 'UTC',
    ...(withYear ? { year: 'numeric' } : {}),
  })
}

test('a code’s charges are the same on the checkout, in the receipt, on the dashboard and at Stripe', async () => {
  await admin.call(codes.adminAdd, { code: 'once20', percentOff: 20, months: 0 })
  await admin.call(codes.adminAdd, { code: 'SPRING', percentOff: 10, months: 3 })
  await admin.call(codes.adminAdd, { code: 'FRIEND', amountOff: 500 })
  expect(await quote(' once20 ')).toEqual({
    code: 'ONCE20',
    worth: '20% off the first payment',
    due: 3120,
    charges: `$31.20 today, then $39.00 every month from ${dayInMonths(1)}`,
  })
  expect(await quote('SPRING')).toMatchObject({
    worth: '10% off for 3 months',
    charges: `$35.10 today, then $35.10 every month from ${dayInMonths(1)}, and $39.00 every month from ${dayInMonths(3)}`,
  })
  // The first yearly renewal comes after the three months of the discount.
  expect(await quote('SPRING', 'yearly')).toMatchObject({
    due: 35_100,
    charges: `$351.00 today, then $390.00 every year from ${dayInMonths(12, true)}`,
  })
  expect(await quote('FRIEND')).toMatchObject({
    worth: '$5.00 off, always',
    charges: `$34.00 today, then $34.00 every month from ${dayInMonths(1)}`,
  })

  const renewalAmounts = { once20: 3900, SPRING: 3510, FRIEND: 3400 }
  for (const [code, next] of Object.entries(renewalAmounts)) {
    const { due, charges } = await quote(code)
    const buyer = await shop.buyer({ code })
    const [purchase] = await buyer.call(purchases.list, {})
    expect(purchase).toMatchObject({ amount: 3900, lastPaidAmount: due, nextAmount: next })
    expect(purchase?.charges).toBe(code === 'SPRING' ? charges.replace('$35.10 today, then ', '') : null)
    const receipt = (await shop.mails()).find(
      ({ to, subject }) => to === buyer.user.email && subject.startsWith('Your receipt'),
    )
    expect(receipt?.text).toContain(charges)
    const data: { orders?: { discountCode: string }[] } = await buyer.call(accounts.myData, {})
    expect(data.orders).toMatchObject([{ discountCode: code.toUpperCase() }])
  }
  expect(await findListed('SPRING')).toMatchObject({ used: 1, state: 'running', revenue: 3510 })
})

test('an unknown, planned or stopped code is refused with the same sentence as one for another plan or for new customers', async () => {
  await admin.call(codes.adminAdd, { code: 'YEARLY', percentOff: 50, billingType: 'yearly' })
  await admin.call(codes.adminAdd, { code: 'NEWCOMER', percentOff: 50, newOnly: true })
  await admin.call(codes.adminAdd, { code: 'STOPPED', percentOff: 50 })
  await admin.call(codes.adminStop, { id: (await findListed('STOPPED'))?.id ?? '' })
  const day = (days: number) => new Date(shop.clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10)
  await admin.call(codes.adminAdd, { code: 'LATER', percentOff: 50, from: day(2) })
  const buyer = await shop.buyer()
  const answers = new Set<string>()
  for (const [code, visitor] of [
    ['UNKNOWN', shop.visitor()],
    ['YEARLY', shop.visitor()],
    ['STOPPED', shop.visitor()],
    ['LATER', shop.visitor()],
    ['NEWCOMER', buyer],
  ] as const) {
    const error = await quote(code, 'monthly', visitor).catch((reason: unknown) => reason)
    expect(error).toMatchObject(refusal)
    answers.add((error as { serverMessage: string }).serverMessage)
  }
  expect(answers.size).toBe(1)
  // A guest counts as a customer by the address typed at the checkout.
  expect(await quote('NEWCOMER')).toMatchObject({ due: 1950 })
  await shop.connection.pool.query(`update purchases set status = 'cancelled', ended_at = now() where id = $1`, [
    buyer.purchase.id,
  ])
  const guest = { code: 'NEWCOMER', email: buyer.user.email }
  await expect(shop.begin(shop.visitor(), guest)).rejects.toMatchObject(refusal)
})

test('a code must leave at least a dollar to pay, and its name can be used once', async () => {
  const invalidCodes = [
    { percentOff: 98 },
    { amountOff: 3801 },
    { amountOff: 38_901, billingType: 'yearly' as const },
    { percentOff: 10, amountOff: 100 },
    {},
    { percentOff: 10, until: '2020-01-01' },
  ]
  for (const [index, input] of invalidCodes.entries())
    await expect(admin.call(codes.adminAdd, { code: `WRONG-${index}`, ...input })).rejects.toMatchObject({
      status: 400,
    })
  await admin.call(codes.adminAdd, { code: 'DOLLAR', amountOff: 38_900, billingType: 'yearly' })
  const reuse = admin.call(codes.adminAdd, { code: 'dollar', percentOff: 1 })
  await expect(reuse).rejects.toMatchObject({ status: 400, fields: { code: expect.any(String) } })
  expect((await shop.buyer({ billing: 'yearly', code: 'DOLLAR' })).purchase).toMatchObject({
    amount: 39_000,
    lastPaidAmount: 100,
    nextAmount: 100,
  })
})

describe('a limited code', () => {
  const listPurchases = async (buyers: Visitor[]) =>
    (await Promise.all(buyers.map((buyer) => buyer.call(purchases.list, {})))).flat()
  const refundMails = async (code: string) =>
    (await shop.mails()).filter(({ subject }) => subject.startsWith('We’re refunding') && subject.includes(code))

  test('for one use, paid in five checkouts at the same time, is used once, and four buyers get a refund and a reason', async () => {
    await using secondProcess = await openShop({
      databaseUrl: shop.config.databaseUrl ?? '',
      env: { DATA_DIR: shop.config.dataDir },
    })
    await admin.call(codes.adminAdd, { code: 'SINGLE', percentOff: 50, maxUses: 1 })
    const buyers = await Promise.all([shop, secondProcess, shop, secondProcess, shop].map((process) => process.user()))
    const begun = await Promise.all(buyers.map((buyer) => shop.begin(buyer, { code: 'SINGLE' })))
    await Promise.all(begun.map((each) => shop.pay(each)))
    await Promise.allSettled(buyers.map((buyer, index) => shop.confirmPurchase(buyer, begun[index] ?? throwMissing())))
    await shop.settle()
    const bought = await listPurchases(buyers)
    expect(bought.filter(({ status }) => status === 'active')).toHaveLength(1)
    const refused = bought.filter(({ endedBecause }) => endedBecause === 'code_used_up')
    expect(refused).toHaveLength(4)
    for (const each of refused) expect(each).toMatchObject({ status: 'cancelled', refundedAmount: 1950 })
    const mails = await refundMails('SINGLE')
    expect(new Set(mails.map(({ to }) => to)).size).toBe(4)
    expect(mails[0]?.subject).toBe('We’re refunding your payment: the code SINGLE is used up')
    expect(mails[0]?.text).toContain('$19.50')
    expect(await findListed('SINGLE')).toMatchObject({ used: 1, state: 'used up' })
    await expect(quote('SINGLE')).rejects.toMatchObject(refusal)
    // A buyer who was refused may buy without the code.
    const refusedIndex = bought.findIndex(({ endedBecause }) => endedBecause === 'code_used_up')
    const refusedBuyer = buyers[refusedIndex] ?? throwMissing()
    expect(await shop.buy(refusedBuyer)).toMatchObject({ status: 'active', lastPaidAmount: 3900 })
  })

  test('that was used up before the payment is refused in the browser that paid too late', async () => {
    await admin.call(codes.adminAdd, { code: 'LAST', percentOff: 50, maxUses: 1 })
    const [lateBuyer, fastBuyer] = [await shop.user(), await shop.user()]
    const begun = await shop.begin(lateBuyer, { code: 'LAST' })
    await shop.buy(fastBuyer, { code: 'LAST' })
    await shop.pay(begun)
    await shop.settle()
    await expect(shop.confirmPurchase(lateBuyer, begun)).rejects.toMatchObject({
      status: 409,
      code: 'paid-with-spent-code',
      serverMessage: 'The code was used up before you paid. We’re refunding your payment.',
    })
  })

  test('for new customers is used once by a customer who pays two checkouts at the same time', async () => {
    await admin.call(codes.adminAdd, { code: 'HELLO', percentOff: 50, newOnly: true })
    const email = `guest-${crypto.randomUUID()}@example.com`
    const [first, second] = [shop.visitor(), shop.visitor()]
    // Both payments belong to one account, because both browsers typed the same address.
    const begun = [
      await shop.begin(first, { code: 'HELLO', email }),
      await shop.begin(second, { code: 'HELLO', email }),
    ]
    for (const each of begun) await shop.pay(each)
    await shop.settle()
    const { rows } = await shop.connection.pool.query<{ ended_because: string | null; refunded_amount: number }>(
      `select ended_because, refunded_amount from purchases join users on users.id = user_id
       where email = $1 order by ended_because nulls first`,
      [email],
    )
    expect(rows).toEqual([
      { ended_because: null, refunded_amount: 0 },
      { ended_because: 'duplicate', refunded_amount: 1950 },
    ])
    expect(await findListed('HELLO')).toMatchObject({ used: 1 })
  })

  test('for new customers is refused after the payment to a customer who bought in the meantime', async () => {
    await admin.call(codes.adminAdd, { code: 'FIRST', percentOff: 50, newOnly: true })
    const email = `guest-${crypto.randomUUID()}@example.com`
    const begun = await shop.begin(shop.visitor(), { code: 'FIRST', email })
    // The customer buys and cancels in another browser, so they are no longer new.
    await shop.guest(shop.visitor(), email)
    await shop.settle()
    const { rows: bought } = await shop.connection.pool.query<{ id: string }>(
      'select id from purchases where user_id = (select id from users where email = $1)',
      [email],
    )
    await admin.call(purchasesAdmin.cancel, { id: bought[0]?.id ?? '' })
    await shop.settle()
    await shop.pay(begun)
    await shop.settle()
    const { rows } = await shop.connection.pool.query<{ ended_because: string; refunded_amount: number }>(
      `select ended_because, refunded_amount from purchases join users on users.id = user_id
       where email = $1 and payment_intent_id = $2`,
      [email, begun.paymentIntentId],
    )
    expect(rows).toEqual([{ ended_because: 'code_new_only', refunded_amount: 1950 }])
    const mails = await refundMails('FIRST')
    expect(mails.map(({ to, subject }) => [to, subject])).toEqual([
      [email, 'We’re refunding your payment: the code FIRST is for new customers'],
    ])
    expect(await findListed('FIRST')).toMatchObject({ used: 0 })
  })

  test('is not used up by checkouts that nobody pays', async () => {
    await admin.call(codes.adminAdd, { code: 'OPEN', percentOff: 50, maxUses: 2 })
    for (let count = 0; count < 5; count++)
      await shop.begin(shop.visitor(), { code: 'OPEN', email: `looking-${count}-${crypto.randomUUID()}@example.com` })
    expect(await quote('OPEN')).toMatchObject({ due: 1950 })
    expect((await shop.buyer({ code: 'OPEN' })).purchase).toMatchObject({ lastPaidAmount: 1950 })
  })
})

test('a coupon that was deleted at Stripe is made again, and a withdrawal refunds only the discounted price', async () => {
  await admin.call(codes.adminAdd, { code: 'GONE', percentOff: 25, months: 0 })
  const coupon = (await findListed('GONE'))?.id
  await shop.connection.pool.query('delete from sandbox.objects where id = $1', [coupon])
  const buyer = await shop.buyer({ code: 'GONE' })
  expect(buyer.purchase).toMatchObject({ lastPaidAmount: 2925, nextAmount: 3900 })
  await buyer.call(declarations.withdraw, declared(buyer.user.email))
  await shop.settle()
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'cancelled', refundedAmount: 2925 }])
})
