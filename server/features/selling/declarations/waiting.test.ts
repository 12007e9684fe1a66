import { desc, eq, sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { customers } from '#contract/admin/customers.ts'
import { overview } from '#contract/admin/overview.ts'
import { dayInWords, dayMs } from '#contract/dates.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { addMonths } from '#contract/plans.ts'
import { declarations as contract } from '#contract/selling/declarations.ts'
import { declarationsAdmin } from '#contract/selling/declarations-admin.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { payments, purchases as purchaseRows } from '#server/database/schema.ts'
import { atStripe } from '#server/testing/at-stripe.ts'
import { bookPurchase } from '#server/testing/book-purchase.ts'
import { mailsTo as allMailsTo, declared, linkIn, storedDeclaration } from '#server/testing/declarations.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
let nextCrash = ''
beforeAll(async () => {
  shop = await openShop({
    env: { SUPPORT_EMAIL: 'help@example.com' },
    crashPoint: (name) => {
      if (name !== nextCrash) return
      nextCrash = ''
      throw new Error(`Crash at "${name}"`)
    },
  })
})
afterEach(() => shop.stopBilling())
afterAll(() => shop.close())

const stored = (id: string) => storedDeclaration(shop, id)
const mailsTo = (to: string) => allMailsTo(shop, to)
const confirmationLinkTo = async (email: string) => {
  const mail = (await mailsTo(email)).find(({ text }) => text.includes('confirm?id='))
  return linkIn(mail?.text)
}

test('a withdrawal that was declared in time counts, even if it is confirmed later', async () => {
  const buyer = await shop.buyer()
  await shop.advance(14, 'day')
  await shop.visitor().call(contract.withdraw, declared(buyer.user.email))
  const link = await confirmationLinkTo(buyer.user.email)
  await shop.advance(3, 'day')
  await shop.visitor().call(contract.confirm, link)
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'cancelled', refundedAmount: 3900 }])
})

test('after 14 days, the confirmation link changes nothing, and the seller decides', async () => {
  const buyer = await shop.buyer()
  const { id } = await shop.visitor().call(contract.withdraw, declared(buyer.user.email))
  const link = await confirmationLinkTo(buyer.user.email)
  await shop.advance(14, 'day')
  for (let click = 0; click < 2; click++)
    await expect(shop.visitor().call(contract.confirm, link)).rejects.toMatchObject({
      status: 410,
      message: expect.stringContaining('nothing was changed or refunded'),
    })
  await shop.settle()
  expect(await stored(id)).toMatchObject({ state: 'open' })
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'active', refundedAmount: 0 }])
})

test('the seller gets an email about a second withdrawal of the same person', async () => {
  const buyer = await shop.buyer()
  const withdraw = () => buyer.call(contract.withdraw, declared(buyer.user.email))
  const mailsToSeller = async () =>
    (await mailsTo('help@example.com')).filter(({ subject }) => subject === `Withdrawal no. 2: ${buyer.user.email}`)
  await withdraw()
  await shop.settle()
  expect(await mailsToSeller()).toEqual([])
  await shop.buy(buyer)
  await withdraw()
  expect(await mailsToSeller()).toHaveLength(1)
})

test('a cancellation for a day more than two years ahead is refused at its field', async () => {
  const buyer = await shop.buyer()
  await expect(
    buyer.call(contract.cancel, { ...declared(buyer.user.email), grounds: 'ordinary', endsOn: '9999-12-31' }),
  ).rejects.toMatchObject({ status: 400, fields: { endsOn: 'Please choose a day within the next two years.' } })
})

test('a confirmation link sent to the account’s former address changes nothing', async () => {
  const buyer = await shop.buyer()
  await shop.visitor().call(contract.withdraw, declared(buyer.user.email))
  const link = await confirmationLinkTo(buyer.user.email)
  const admin = await shop.admin()
  await admin.call(customers.adminCorrectEmail, { id: buyer.user.id, email: 'moved@example.com' })
  await expect(shop.visitor().call(contract.confirm, link)).rejects.toMatchObject({ status: 410 })
  await shop.settle()
  expect(await admin.call(purchasesAdmin.list, { status: 'live' })).toContainEqual(
    expect.objectContaining({ id: buyer.purchase.id, status: 'active' }),
  )
  await shop.visitor().call(contract.withdraw, declared('moved@example.com'))
  const newLink = await confirmationLinkTo('moved@example.com')
  await shop.visitor().call(contract.confirm, newLink)
  expect(await admin.call(purchasesAdmin.list, { status: 'live' })).not.toContainEqual(
    expect.objectContaining({ id: buyer.purchase.id }),
  )
})

test('a withdrawal on day 15 isn’t automatic, but the seller may carry it out', async () => {
  const buyer = await shop.buyer()
  await shop.advance(15, 'day')
  await shop.advance(1, 'minute')
  const { id } = await buyer.call(contract.withdraw, declared(buyer.user.email))
  await shop.settle()
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'active' }])
  const admin = await shop.admin()
  const [row] = await admin.call(declarationsAdmin.list, {})
  expect(row).toMatchObject({ id, state: 'open', isLate: true })
  await admin.call(declarationsAdmin.carryOut, { id })
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'cancelled', refundedAmount: 3900 }])
})

test('a cancellation for a later day waits for that day’s period, and a failing one doesn’t block others', async () => {
  const [buyerWithoutSubscription, buyer] = [await shop.buyer(), await shop.buyer()]
  const endsOn = new Date(shop.clock.now().getTime() + 45 * dayMs).toISOString().slice(0, 10)
  const input = { grounds: 'ordinary' as const, endsOn }
  await buyerWithoutSubscription.call(contract.cancel, { ...declared(buyerWithoutSubscription.user.email), ...input })
  await shop.settle()
  const { id } = await buyer.call(contract.cancel, { ...declared(buyer.user.email), ...input })
  await shop.settle()
  expect(await stored(id)).toMatchObject({ state: 'confirmed' })
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'active' }])
  await shop.advance(1, 'month')
  await shop.advance(1, 'hour')
  await shop.connection.db
    .update(purchaseRows)
    .set({ stripeSubscriptionId: 'sub_gone' })
    .where(eq(purchaseRows.id, buyerWithoutSubscription.purchase.id))
  await expect(shop.queue.runNow('carry-out-declarations')).rejects.toThrow('1 of 2 declarations')
  expect(await stored(id)).toMatchObject({ state: 'done' })
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'pending_cancel' }])
})

test('a declaration unconfirmed for three days goes to the seller once, with its due day', async () => {
  await shop.queue.runNow('hand-declarations-to-seller')
  const buyer = await shop.buyer()
  const { id, declaredAt } = await shop.visitor().call(contract.withdraw, declared(buyer.user.email))
  await shop.settle()
  const openForSeller = async () =>
    (await (await shop.admin()).call(declarationsAdmin.list, { state: 'open' })).map((row) => row.id)
  const mailsToSeller = async () =>
    (await mailsTo('help@example.com')).filter(({ subject }) => subject.startsWith('Not confirmed'))
  const earlierMails = await mailsToSeller()
  await shop.queue.runNow('hand-declarations-to-seller')
  expect(await mailsToSeller()).toEqual(earlierMails)
  expect(await openForSeller()).not.toContain(id)
  const waiting = await (await shop.admin()).call(declarationsAdmin.list, { state: 'waiting' })
  expect(waiting).toMatchObject([{ id, state: 'open', awaitsClick: true }])

  await shop.advance(3, 'day')
  for (let run = 0; run < 2; run++) await shop.queue.runNow('hand-declarations-to-seller')
  const newMails = (await mailsToSeller()).slice(earlierMails.length)
  expect(newMails).toHaveLength(1)
  const dueAt = new Date(new Date(declaredAt).getTime() + 14 * dayMs)
  const dueDay = dayInWords(dueAt)
  expect(newMails[0]?.subject).toBe(`Not confirmed: a withdrawal, due by ${dueDay}`)
  expect(newMails[0]?.text).toContain(buyer.user.email)
  expect(await openForSeller()).toContain(id)
  const needs = await (await shop.admin()).call(overview.adminNeeds, {})
  expect(needs.find(({ kind }) => kind === 'declarations')).toMatchObject({ count: (await openForSeller()).length })
})

test('many declarations by strangers don’t hide a buyer’s unconfirmed one from the seller', async () => {
  await shop.queue.runNow('hand-declarations-to-seller')
  const buyer = await shop.buyer()
  await shop.visitor().call(contract.withdraw, declared(buyer.user.email))
  await shop.advance(3, 'day')
  const stranger = shop.visitor()
  const moreThanHourlyLimit = 21
  for (let sent = 0; sent < moreThanHourlyLimit; sent++)
    await stranger.call(contract.withdraw, { ...declared(`flood-${sent}@example.com`), contract: 'no idea' })
  await shop.settle()
  await shop.queue.runNow('hand-declarations-to-seller')
  const mailsToSeller = (await mailsTo('help@example.com')).filter(({ subject }) => subject.startsWith('Not confirmed'))
  expect(mailsToSeller.at(-1)?.text).toContain(buyer.user.email)
})

test('a withdrawal carried out after its due date refunds the payments before that date and names the later ones', async () => {
  const buyer = await shop.buyer()
  const { id } = await shop.visitor().call(contract.withdraw, declared(buyer.user.email))
  await shop.settle()
  await shop.advance(1, 'month')
  await shop.advance(1, 'day')
  const admin = await shop.admin()
  await admin.call(declarationsAdmin.carryOut, { id })
  expect(await admin.call(purchasesAdmin.list, { q: buyer.user.email })).toMatchObject([
    { status: 'cancelled', refundedAmount: 3900 },
  ])
  expect(await stored(id)).toMatchObject({
    state: 'done',
    outcome: expect.stringMatching(/^Ended right away\. Paid after .* and not refunded: \$39\.00$/),
  })
})

test('a cancellation counts from its arrival, so a renewal charged while it waited is refunded', async () => {
  const buyer = await shop.buyer()
  await shop.advance(28, 'day')
  const { id } = await shop.visitor().call(contract.cancel, { ...declared(buyer.user.email), grounds: 'ordinary' })
  const link = await confirmationLinkTo(buyer.user.email)
  await shop.advance(5, 'day')
  await shop.visitor().call(contract.confirm, link)
  const admin = await shop.admin()
  expect(await admin.call(purchasesAdmin.list, { q: buyer.user.email })).toMatchObject([
    { status: 'cancelled', refundedAmount: 3900 },
  ])
  expect(await stored(id)).toMatchObject({ outcome: 'Ended right away, and the renewal was refunded' })
})

test('a crash between the end of a contract and its refund loses no refund', async () => {
  const buyer = await shop.buyer()
  await shop.advance(28, 'day')
  const { id } = await shop.visitor().call(contract.cancel, { ...declared(buyer.user.email), grounds: 'ordinary' })
  const link = await confirmationLinkTo(buyer.user.email)
  await shop.advance(5, 'day')
  nextCrash = 'withdrawn at Stripe'
  await expect(shop.visitor().call(contract.confirm, link)).rejects.toMatchObject({ status: 500 })
  await shop.settle()
  const readPurchase = async () => (await (await shop.admin()).call(purchasesAdmin.list, { q: buyer.user.email }))[0]
  expect(await readPurchase()).toMatchObject({ status: 'cancelled', refundedAmount: 0 })

  // Another test left a declaration that always fails.
  for (let run = 0; run < 2; run++) await shop.queue.runNow('carry-out-declarations').catch(() => {})
  expect(await readPurchase()).toMatchObject({ status: 'cancelled', refundedAmount: 3900 })
  expect(await stored(id)).toMatchObject({ state: 'done', outcome: 'Ended right away, and the renewal was refunded' })
})

test('a contract that ended before its declaration was confirmed stays as it is', async () => {
  const buyer = await shop.buyer()
  const input = { ...declared(buyer.user.email), grounds: 'ordinary' as const }
  const { id } = await shop.visitor().call(contract.cancel, input)
  const link = await confirmationLinkTo(buyer.user.email)
  await (await shop.admin()).call(purchasesAdmin.cancel, { id: buyer.purchase.id })
  await shop.visitor().call(contract.confirm, link)
  expect(await stored(id)).toMatchObject({ state: 'done', outcome: 'The contract had already ended' })
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'cancelled', refundedAmount: 0 }])
})

async function buyRenewedYear() {
  const buyer = await shop.buyer({ billing: 'yearly' })
  await shop.confirm(buyer)
  await shop.advance(1, 'year')
  await shop.advance(60, 'day')
  const readPurchase = async () => {
    await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
    const [purchase] = await buyer.call(purchases.list, {})
    return purchase
  }
  await readPurchase()
  return { ...buyer, readPurchase }
}
const daysOfYearBefore = (end: number) => Math.round((end - addMonths(new Date(end), -12).getTime()) / dayMs)
const endOfDay = (date: Date) => `${date.toISOString().slice(0, 10)}T23:59:59.000Z`

test('a renewed year ends on the requested day if it is later than the month’s notice', async () => {
  const { call, user, readPurchase } = await buyRenewedYear()
  const requestedEnd = addMonths(shop.clock.now(), 8)
  const endsOn = requestedEnd.toISOString().slice(0, 10)
  await call(contract.cancel, { ...declared(user.email), grounds: 'ordinary', endsOn })
  await shop.settle()
  expect(await readPurchase()).toMatchObject({ status: 'pending_cancel', endsAt: endOfDay(requestedEnd) })
})

test('the month’s notice for a renewed year counts from the declaration, even if it is confirmed later', async () => {
  const { user, readPurchase } = await buyRenewedYear()
  const input = { ...declared(user.email), grounds: 'ordinary' as const }
  const { id, declaredAt } = await shop.visitor().call(contract.cancel, input)
  const link = await confirmationLinkTo(user.email)
  await shop.advance(10, 'day')
  await shop.visitor().call(contract.confirm, link)
  const endsAt = endOfDay(addMonths(new Date(declaredAt), 1))
  expect(await readPurchase()).toMatchObject({ status: 'pending_cancel', endsAt })
  expect(await stored(id)).toMatchObject({ state: 'done', outcome: expect.stringMatching(/^Ends on /) })
})

test('a cancellation that the seller carries out after the month’s notice refunds the days since then', async () => {
  const { user, readPurchase } = await buyRenewedYear()
  const input = { ...declared(user.email), grounds: 'ordinary' as const }
  const { id, declaredAt } = await shop.visitor().call(contract.cancel, input)
  await shop.settle()
  await shop.advance(3, 'month')
  await (await shop.admin()).call(declarationsAdmin.carryOut, { id })
  const purchase = await readPurchase()
  expect(purchase).toMatchObject({ status: 'cancelled', endedBecause: 'cancelled' })
  const noticeEnd = Date.parse(endOfDay(addMonths(new Date(declaredAt), 1)))
  const unusedDays = (Date.parse(purchase?.currentPeriodEnd ?? '') - noticeEnd) / dayMs
  const refundPerDay = 39_000 / 365
  expect(Math.abs((purchase?.refundedAmount ?? 0) - unusedDays * refundPerDay)).toBeLessThan(2 * refundPerDay)
  expect(await stored(id)).toMatchObject({ outcome: 'Ended right away, and the unused time was refunded' })
})

test('a good cause after a cancellation with notice refunds the days since the good cause, and no day twice', async () => {
  const { user, call, readPurchase } = await buyRenewedYear()
  const yearEnd = Date.parse((await readPurchase())?.currentPeriodEnd ?? '')
  await call(contract.cancel, { ...declared(user.email), grounds: 'ordinary' })
  await shop.settle()
  expect(await readPurchase()).toMatchObject({ status: 'pending_cancel' })
  const cancellation = { ...declared(user.email), grounds: 'good_cause' as const, reason: 'It stopped working' }
  const { id } = await call(contract.cancel, cancellation)
  await (await shop.admin()).call(declarationsAdmin.carryOut, { id })
  await shop.settle()
  const purchase = await readPurchase()
  expect(purchase).toMatchObject({ status: 'cancelled' })
  const unusedDays = Math.ceil((yearEnd - shop.clock.now().getTime()) / dayMs)
  expect(purchase?.refundedAmount).toBe(Math.round((39_000 * unusedDays) / daysOfYearBefore(yearEnd)))
})

test('a disputed renewal is refunded only once the dispute is won', async () => {
  const buyer = await shop.buyer()
  await shop.advance(28, 'day')
  const { id } = await shop.visitor().call(contract.cancel, { ...declared(buyer.user.email), grounds: 'ordinary' })
  const link = await confirmationLinkTo(buyer.user.email)
  await shop.advance(5, 'day')
  const [renewal] = await shop.connection.db
    .select()
    .from(payments)
    .where(eq(payments.purchaseId, buyer.purchase.id))
    .orderBy(desc(payments.paidAt))
  const dispute = await shop.sandbox.controls.openDispute(renewal?.paymentIntentId ?? '')
  await shop.visitor().call(contract.confirm, link)
  await shop.settle()
  const waiting = { state: 'confirmed', outcome: 'Ended right away. The buyer’s bank decides about $39.00' }
  expect(await stored(id)).toMatchObject(waiting)
  await shop.queue.runNow('carry-out-declarations').catch(() => {})
  expect(await stored(id)).toMatchObject(waiting)
  await shop.sandbox.controls.closeDispute(dispute.id, 'won')
  await shop.settle()
  // Another test left a declaration that always fails.
  await shop.queue.runNow('carry-out-declarations').catch(() => {})
  expect(await stored(id)).toMatchObject({ state: 'done', outcome: 'Ended right away, and the renewal was refunded' })
  expect(await (await shop.admin()).call(purchasesAdmin.list, { q: buyer.user.email })).toMatchObject([
    { status: 'cancelled', refundedAmount: 3900 },
  ])
})

test('the seller reads how much a withdrawal refunds, before carrying it out', async () => {
  const buyer = await shop.buyer()
  const { id: purchaseId } = buyer.purchase
  await shop.advance(31, 'day')
  const logIn = () => buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
  await logIn()
  // A payment before the credited one, refunded long before the switch.
  const refund = { id: purchaseId, refundedSoFar: 0, paymentIntentId: buyer.purchase.paymentIntentId ?? '' }
  await (await shop.admin()).call(purchasesAdmin.refund, refund)
  await shop.advance(10, 'day')
  await logIn()
  const { at, due } = await buyer.call(purchases.switchOffer, { id: purchaseId })
  await buyer.call(purchases.switch, { id: purchaseId, at, amount: due })
  await shop.settle()
  const { id } = await shop.visitor().call(contract.withdraw, declared(buyer.user.email))
  const waiting = await (await shop.admin()).call(declarationsAdmin.list, { state: 'waiting' })
  const [purchase] = await (await shop.admin()).call(purchasesAdmin.list, { q: buyer.user.email })
  const found = waiting.find((declaration) => declaration.id === id)
  expect(found?.purchase).toMatchObject({ refundDue: 39_000, switchedAt: expect.any(String) })
  expect(purchase?.refundedAmount).toBe(3900)

  await (await shop.admin()).call(declarationsAdmin.carryOut, { id })
  const [ended] = await (await shop.admin()).call(purchasesAdmin.list, { q: buyer.user.email })
  expect((ended?.refundedAmount ?? 0) - 3900).toBe(found?.purchase?.refundDue)
  expect(await stored(id)).toMatchObject({ outcome: 'Ended right away, and the time since the switch was refunded' })
})

test('a withdrawal by email is about the contract that was ordered or switched last', async () => {
  const buyer = await shop.buyer()
  const { id: purchaseId, userId } = buyer.purchase
  const { rows } = await shop.connection.db.execute<{ id: string }>(
    sql`insert into products (slug, name) values ('trend-compass', 'Trend Compass') returning id`,
  )
  await bookPurchase(shop.connection, userId, { productId: rows[0]?.id ?? '' })
  await shop.advance(31, 'day')
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
  const { at, due } = await buyer.call(purchases.switchOffer, { id: purchaseId })
  await buyer.call(purchases.switch, { id: purchaseId, at, amount: due })
  const { id } = await shop.visitor().call(contract.withdraw, declared(buyer.user.email))
  await shop.settle()
  expect(await stored(id)).toMatchObject({ purchaseId })
})

test('the 14 days restart with a plan switch, and a withdrawal then refunds only the time since the switch', async () => {
  const buyer = await shop.buyer()
  await shop.advance(1, 'month')
  await shop.advance(10, 'day')
  const { rows } = await shop.connection.db.execute<{ price: string; subscription: string }>(sql`
    select o.id as price, p.stripe_subscription_id as subscription from sandbox.objects o, purchases p
    where o.data->>'lookup_key' = 'rebound-sigma-pro-yearly' and p.id = ${buyer.purchase.id}`)
  await shop.sandbox.controls.dashboard.changePrice(rows[0]?.subscription ?? '', rows[0]?.price ?? '')
  await shop.settle()
  await shop.advance(13, 'day')
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
  const { id } = await buyer.call(contract.withdraw, declared(buyer.user.email))
  await shop.settle()
  expect(await stored(id)).toMatchObject({
    state: 'done',
    outcome: 'Ended right away, and the time since the switch was refunded',
  })
  // $390 are the payment at the switch plus the credit for the unused month.
  expect(await buyer.call(purchases.list, {})).toMatchObject([
    { status: 'cancelled', endedBecause: 'refunded', refundedAmount: 39_000 },
  ])
})

test('the seller is emailed about declarations beyond the hourly limit an hour later', async () => {
  const stranger = shop.visitor()
  const hourlyLimit = 20
  for (let sent = 0; sent < hourlyLimit; sent++)
    await stranger.call(contract.withdraw, { ...declared(`busy-${sent}@example.com`), contract: 'no idea' })
  await shop.settle()
  const { id } = await stranger.call(contract.withdraw, {
    ...declared('late@example.com'),
    contract: 'the yearly subscription',
  })
  const mailsAboutLate = async () =>
    (await mailsTo('help@example.com')).filter(({ text }) => text.includes('late@example.com'))
  expect(await mailsAboutLate()).toEqual([])
  expect(await stored(id)).toMatchObject({ state: 'open', sellerToldAt: null })

  await shop.advance(1, 'hour')
  for (let run = 0; run < 2; run++) await shop.queue.runNow('hand-declarations-to-seller')
  expect(await mailsAboutLate()).toMatchObject([{ subject: 'Action needed: withdrawal from Ada Trader' }])
})

test('a cancellation for a later day waits for that day while the renewal before it is unpaid', async () => {
  const buyer = await shop.buyer({ laterCard: 'pm_card_chargeCustomerFail' })
  const endsOn = new Date(shop.clock.now().getTime() + 45 * dayMs).toISOString().slice(0, 10)
  const { id } = await buyer.call(contract.cancel, { ...declared(buyer.user.email), grounds: 'ordinary', endsOn })
  await shop.advance(1, 'month')
  await shop.advance(1, 'hour')
  const carryOut = () => shop.queue.runNow('carry-out-declarations').catch(() => {})
  const readStatus = async () => {
    await shop.settle()
    const [purchase] = await (await shop.admin()).call(purchasesAdmin.list, { q: buyer.user.email })
    return purchase?.status
  }
  await carryOut()
  expect([await readStatus(), (await stored(id))?.state]).toEqual(['past_due', 'confirmed'])
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
  await shop.changeCard(buyer, buyer.purchase.id, 'pm_card_visa')
  await shop.settle()
  await carryOut()
  expect([await readStatus(), (await stored(id))?.state]).toEqual(['pending_cancel', 'done'])
})

test('a renewal charged after the requested day is refunded, even if that day was weeks after the declaration', async () => {
  const buyer = await shop.buyer()
  const endsOn = new Date(shop.clock.now().getTime() + 55 * dayMs).toISOString().slice(0, 10)
  const input = { ...declared(buyer.user.email), grounds: 'ordinary' as const, endsOn }
  const { id } = await shop.visitor().call(contract.cancel, input)
  await shop.settle()
  await shop.advance(2, 'month')
  await shop.advance(1, 'day')
  const admin = await shop.admin()
  await admin.call(declarationsAdmin.carryOut, { id })
  expect(await admin.call(purchasesAdmin.list, { q: buyer.user.email })).toMatchObject([
    { status: 'cancelled', refundedAmount: 3900 },
  ])
  expect(await stored(id)).toMatchObject({ outcome: 'Ended right away, and the renewal was refunded' })
})

test('a second cancellation replaces the first one only if it ends the year earlier', async () => {
  const { call, user, readPurchase } = await buyRenewedYear()
  const yearEnd = Date.parse((await readPurchase())?.currentPeriodEnd ?? '')
  const input = { ...declared(user.email), grounds: 'ordinary' as const }
  const inMonths = (months: number) => addMonths(shop.clock.now(), months)
  const cancelFor = async (end: Date | undefined) => {
    await call(contract.cancel, { ...input, endsOn: end?.toISOString().slice(0, 10) })
    await shop.settle()
    return readPurchase()
  }
  const later = inMonths(8)
  expect(await cancelFor(later)).toMatchObject({ status: 'pending_cancel', endsAt: endOfDay(later) })
  const afterNotice = { status: 'pending_cancel', endsAt: endOfDay(inMonths(1)) }
  expect(await cancelFor(undefined)).toMatchObject(afterNotice)
  const mail = (await mailsTo(user.email)).findLast(({ subject }) => subject === 'Your subscription will be cancelled')
  expect(mail?.text).toContain(dayInWords(inMonths(1)))
  expect(await cancelFor(inMonths(5))).toMatchObject(afterNotice)
  await shop.advance(1, 'month')
  await shop.advance(1, 'day')
  await shop.settle()
  const purchase = await readPurchase()
  const unusedDays = Math.ceil((yearEnd - Date.parse(afterNotice.endsAt)) / dayMs)
  expect(purchase).toMatchObject({
    status: 'cancelled',
    refundedAmount: Math.round((39_000 * unusedDays) / daysOfYearBefore(yearEnd)),
  })
})

test('the outcome names what was paid outside Stripe, which the seller refunds', async () => {
  const buyer = await shop.buyer({ billing: 'yearly' })
  const [row] = await shop.connection.db.select().from(purchaseRows).where(eq(purchaseRows.id, buyer.purchase.id))
  const subscription = row?.stripeSubscriptionId ?? ''
  await shop.sandbox.controls.failNextRenewal(subscription)
  await shop.advance(1, 'year')
  const [renewal] = await atStripe(shop).invoicesOf(subscription)
  await shop.sandbox.controls.dashboard.payOutOfBand(renewal?.id ?? '')
  await shop.advance(1, 'day')
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
  const cancellation = { ...declared(buyer.user.email), grounds: 'good_cause' as const, reason: 'It stopped working' }
  const { id } = await buyer.call(contract.cancel, cancellation)
  await (await shop.admin()).call(declarationsAdmin.carryOut, { id })
  expect((await stored(id))?.outcome).toMatch(/^Ended right away\. Paid elsewhere and not refunded: \$38\d\.\d\d$/)
})

test('a withdrawal from a purchase booked by hand doesn’t claim a refund', async () => {
  const { user, call } = await shop.user()
  await bookPurchase(shop.connection, user.id)
  const { id } = await call(contract.withdraw, declared(user.email))
  await shop.settle()
  expect(await stored(id)).toMatchObject({ state: 'open' })
  await (await shop.admin()).call(declarationsAdmin.carryOut, { id })
  expect(await stored(id)).toMatchObject({
    state: 'done',
    outcome: 'Ended right away. It was booked by hand, so nothing was refunded here',
  })
})

test('a cancellation for the same day doesn’t wait for that day’s end while the renewal is unpaid', async () => {
  const buyer = await shop.buyer({ laterCard: 'pm_card_chargeCustomerFail' })
  await shop.advance(1, 'month')
  await shop.advance(1, 'hour')
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
  const endsOn = shop.clock.now().toISOString().slice(0, 10)
  await buyer.call(contract.cancel, { ...declared(buyer.user.email), grounds: 'ordinary', endsOn })
  await shop.settle()
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'expired', endedBecause: 'unpaid' }])
})
