import { and, eq, sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { dayInWords, dayMs } from '#contract/dates.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { declarations } from '#contract/selling/declarations.ts'
import { termsInForce } from '#contract/selling/legal/in-force.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { mrrMovements, orders as orderRows, purchases as rows } from '#server/database/schema.ts'
import { declared, mailsTo } from '#server/testing/declarations.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterEach(() => shop.stopBilling())
afterAll(() => shop.close())

type Buyer = Awaited<ReturnType<TestShop['buyer']>>

async function readState({ purchase: { id } }: Buyer) {
  const { db } = shop.connection
  const [row] = await db.select().from(rows).where(eq(rows.id, id))
  const payable = await db.execute<{ id: string }>(sql`select id from sandbox.objects where kind = 'invoice'
    and data->>'status' = 'open' and data->'parent'->'subscription_details'->>'subscription' = ${row?.stripeSubscriptionId}`)
  const [subscription] = (
    await db.execute<{ data: { items: unknown; pending_update: unknown; customer: string } }>(
      sql`select data from sandbox.objects where id = ${row?.stripeSubscriptionId}`,
    )
  ).rows
  return {
    row,
    payable: payable.rows,
    items: subscription?.data.items,
    pending: subscription?.data.pending_update,
    movements: await db.select().from(mrrMovements).where(eq(mrrMovements.purchaseId, id)),
    orders: await db
      .select()
      .from(orderRows)
      .where(and(eq(orderRows.subscriptionId, row?.stripeSubscriptionId ?? ''), eq(orderRows.kind, 'switch'))),
  }
}

const subscriptionOf = async (buyer: Buyer) => (await readState(buyer)).row?.stripeSubscriptionId ?? ''

const offerTo = (buyer: Buyer) => buyer.call(purchases.switchOffer, { id: buyer.purchase.id })
const acceptOffer = (buyer: Buyer, { at, due }: { at: string; due: number }) =>
  buyer.call(purchases.switch, { id: buyer.purchase.id, at, amount: due })
const switchNow = async (buyer: Buyer) => acceptOffer(buyer, await offerTo(buyer))
const finish = (buyer: Buyer, giveUp?: boolean) =>
  buyer.call(purchases.finishSwitch, { id: buyer.purchase.id, ...(giveUp ? { giveUp } : {}) })

async function saveCardThatNeedsConfirmation(buyer: Buyer) {
  const { id } = buyer.purchase
  const { clientSecret } = await buyer.call(purchases.beginCardUpdate, { id })
  const setupIntentId = await shop.storeCard(clientSecret, 'pm_card_authenticationRequired')
  await shop.sandbox.controls.authenticate(setupIntentId, 'complete')
  await buyer.call(purchases.finishCardUpdate, { id, setupIntentId })
}

async function advanceAndLogIn(days: number, buyer: Buyer) {
  await shop.advance(days, 'day')
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
}

test('a switch begins the year immediately, credits the unused seconds, and charges exactly the offered amount', async () => {
  const buyer = await shop.buyer()
  await advanceAndLogIn(12, buyer)
  const offer = await offerTo(buyer)
  const { row: rowBefore } = await readState(buyer)
  const [start, end] = [rowBefore?.paidFrom?.getTime() ?? 0, rowBefore?.paidUntil?.getTime() ?? 0]
  const unused = Math.round((3900 * (end - Date.parse(offer.at))) / (end - start))
  expect(offer).toMatchObject({
    price: 39_000,
    lines: [
      { kind: 'unused', amount: -unused },
      { kind: 'plan', amount: 39_000 },
    ],
    due: 39_000 - unused,
    unusedDays: Math.round((end - Date.parse(offer.at)) / dayMs),
    nextAmount: 39_000,
    card: 'Visa ending in 4242',
  })
  expect(await acceptOffer(buyer, offer)).toEqual({ state: 'done', confirmWith: null })

  const { row, movements, orders, payable } = await readState(buyer)
  expect(row).toMatchObject({
    billingType: 'yearly',
    price: 39_000,
    status: 'active',
    lastPaidAmount: offer.due,
    nextAmount: 39_000,
  })
  expect(row?.currentPeriodEnd?.getTime()).toBeGreaterThan(shop.clock.now().getTime() + 364 * dayMs)
  expect(row?.paidFrom?.getTime()).toBeGreaterThan(start)
  expect(payable).toEqual([])
  expect(movements.at(-1)).toMatchObject({ cause: 'plan', arrBefore: 46_800, arrAfter: 39_000 })
  const { version } = await buyer.call(termsInForce.show, {})
  expect(orders).toMatchObject([
    {
      billingType: 'yearly',
      amount: 39_000,
      amountDue: offer.due,
      email: buyer.user.email,
      termsVersion: version,
      closedAt: row?.orderedAt,
    },
  ])
  const exportedData = await (await buyer.fetch('/api/user/data')).text()
  expect(exportedData).toContain('"kind":"switch"')

  const dollars = (cents: number) => `$${(cents / 100).toFixed(2)}`
  const mails = (await mailsTo(shop, buyer.user.email)).filter(({ text }) => text.includes(dollars(offer.due)))
  expect(mails.map(({ subject }) => subject)).toEqual(['You’ve switched to yearly: Rebound Sigma Pro'])
  for (const words of [`-${dollars(unused)}`, 'Within 14 days you can withdraw', 'TERMS OF SERVICE'])
    expect(mails[0]?.text).toContain(words)
  await expect(offerTo(buyer)).rejects.toMatchObject({ status: 409, code: 'switch-refused' })
})

test('a switch that is declined, given up or abandoned changes nothing and leaves nothing payable', async () => {
  const buyer = await shop.buyer({ laterCard: 'pm_card_chargeCustomerFail' })
  await advanceAndLogIn(3, buyer)
  const stateBeforeDecline = await readState(buyer)
  await expect(switchNow(buyer)).rejects.toMatchObject({
    status: 402,
    code: 'card-declined',
    serverMessage: 'Your bank declined this card. Use another card, or ask your bank. Nothing has changed.',
  })
  await shop.settle()
  expect(await readState(buyer)).toEqual(stateBeforeDecline)

  await saveCardThatNeedsConfirmation(buyer)
  const stateBefore = await readState(buyer)
  expect(await switchNow(buyer)).toMatchObject({ state: 'processing', confirmWith: expect.any(String) })
  expect((await readState(buyer)).row).toEqual(stateBefore.row)
  expect(await finish(buyer, true)).toEqual({ state: 'off', confirmWith: null })
  expect(await readState(buyer)).toEqual(stateBefore)

  const { confirmWith } = await switchNow(buyer)
  await shop.sandbox.controls.authenticate(confirmWith?.split('_secret_')[0] ?? '', 'fail')
  await expect(finish(buyer)).rejects.toMatchObject({ status: 402 })
  expect(await readState(buyer)).toEqual(stateBefore)

  // The buyer doesn't come back.
  await switchNow(buyer)
  await shop.advance(2, 'hour')
  await shop.queue.runNow('reconcile')
  await shop.settle()
  expect(await readState(buyer)).toEqual(stateBefore)
  await advanceAndLogIn(1, buyer)

  // A cancelled or disputed purchase drops the pending switch.
  await switchNow(buyer)
  await buyer.call(purchases.cancel, { id: buyer.purchase.id })
  expect(await readState(buyer)).toMatchObject({ payable: [], pending: null, items: stateBefore.items })
  await buyer.call(purchases.resume, { id: buyer.purchase.id })
  await switchNow(buyer)
  const dispute = await shop.sandbox.controls.openDispute(buyer.purchase.paymentIntentId ?? '')
  await shop.settle()
  expect(await readState(buyer)).toMatchObject({ payable: [], pending: null, items: stateBefore.items })
  await shop.sandbox.controls.closeDispute(dispute.id, 'won')
  await shop.settle()
})

test('a switch is done once the bank has confirmed it, even if the buyer doesn’t come back', async () => {
  const [returning, absent] = [await shop.buyer(), await shop.buyer()]
  for (const buyer of [returning, absent]) {
    await saveCardThatNeedsConfirmation(buyer)
    const { confirmWith } = await switchNow(buyer)
    await shop.sandbox.controls.authenticate(confirmWith?.split('_secret_')[0] ?? '', 'complete')
  }
  expect(await finish(returning)).toEqual({ state: 'processing', confirmWith: null })
  await shop.sandbox.controls.settle()
  expect(await finish(returning)).toEqual({ state: 'done', confirmWith: null })
  await shop.settle()
  for (const buyer of [returning, absent])
    expect((await readState(buyer)).row).toMatchObject({ billingType: 'yearly', status: 'active' })
})

test('a wrong amount, an old offer and a second window charge nothing', async () => {
  const buyer = await shop.buyer()
  await advanceAndLogIn(5, buyer)
  const offer = await offerTo(buyer)
  await expect(acceptOffer(buyer, { ...offer, due: offer.due - 1 })).rejects.toMatchObject({
    status: 409,
    code: 'price-changed',
    currentAmount: offer.due,
  })
  const elevenMinutesEarlier = new Date(Date.parse(offer.at) - 11 * 60_000).toISOString()
  await expect(acceptOffer(buyer, { ...offer, at: elevenMinutesEarlier })).rejects.toMatchObject({
    code: 'changed-meanwhile',
  })
  const stranger = await shop.buyer()
  await expect(
    stranger.call(purchases.switch, { id: buyer.purchase.id, at: offer.at, amount: offer.due }),
  ).rejects.toMatchObject({ status: 404 })
  const both = await Promise.allSettled([acceptOffer(buyer, offer), acceptOffer(buyer, offer)])
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const paid = (await buyer.call(purchases.invoices, { id: buyer.purchase.id })).map(({ amount }) => amount)
  expect(paid).toEqual([offer.due, 3900])
})

test('each state that can’t be switched is refused with a sentence', async () => {
  const { controls } = shop.sandbox
  const admin = await shop.admin()
  const until = new Date(shop.clock.now().getTime() + 60 * dayMs).toISOString().slice(0, 10)
  type Preparation = (buyer: Buyer & { id: string }, subscription: string) => Promise<unknown>
  const preparations: [sentence: string, prepare: Preparation][] = [
    ['Please resume it first', ({ call, id }) => call(purchases.cancel, { id })],
    ['paused', (_, subscription) => controls.pause(subscription)],
    ['made for you', (_, subscription) => controls.dashboard.setQuantity(subscription, 2)],
    ['in dispute with your bank', ({ purchase }) => controls.openDispute(purchase.paymentIntentId ?? '')],
    ['is free. You can switch after that', ({ id }) => admin.call(purchasesAdmin.extend, { id, until })],
    [
      'Your last payment was changed by hand',
      ({ id }) => admin.call(purchasesAdmin.refund, { id, amount: 500, refundedSoFar: 0 }),
    ],
    ['has ended', ({ id }) => admin.call(purchasesAdmin.cancel, { id })],
  ]
  for (const [sentence, prepare] of preparations) {
    const buyer = await shop.buyer()
    await prepare({ ...buyer, id: buyer.purchase.id }, await subscriptionOf(buyer))
    await shop.settle()
    await expect(offerTo(buyer)).rejects.toThrow(sentence)
  }

  await expect(offerTo(await shop.buyer({ billing: 'yearly' }))).rejects.toThrow('already on the yearly plan')
  const unpaid = await shop.buyer({ laterCard: 'pm_card_chargeCustomerFail' })
  await advanceAndLogIn(32, unpaid)
  await expect(offerTo(unpaid)).rejects.toMatchObject({
    code: 'not-paid',
    serverMessage: 'Please pay the open invoice first.',
  })
})

test('a withdrawal within 14 days of a switch refunds the time since the switch, from both payments', async () => {
  const buyer = await shop.buyer()
  for (let months = 0; months < 2; months++) await advanceAndLogIn(31, buyer)
  const { due, lines } = await offerTo(buyer)
  await switchNow(buyer)
  await advanceAndLogIn(10, buyer)
  await buyer.call(declarations.withdraw, declared(buyer.user.email))
  await shop.settle()
  const { row, movements } = await readState(buyer)
  const credit = lines.find(({ kind }) => kind === 'unused')?.amount ?? 0
  expect(row).toMatchObject({ status: 'cancelled', endedBecause: 'refunded', refundedAmount: due - credit })
  expect(row?.refundedAmount).toBe(39_000)
  expect(movements.at(-1)).toMatchObject({ arrAfter: 0 })
})

const dayAfter = (from: Date | null | undefined, days: number) => new Date((from?.getTime() ?? 0) + days * dayMs)
const withdrawalOf = async (buyer: Buyer) => (await buyer.call(purchases.list, {}))[0]?.withdrawal

test('after a switch, the buyer reads that a withdrawal refunds the time since, for 14 days', async () => {
  const buyer = await shop.buyer()
  await advanceAndLogIn(31, buyer)
  expect(await withdrawalOf(buyer)).toBeNull()
  await switchNow(buyer)
  const by = dayAfter((await readState(buyer)).row?.orderedAt, 14)
  expect(await withdrawalOf(buyer)).toEqual({ by: by.toISOString(), covers: 'since_switch' })
  await buyer.call(purchases.cancel, { id: buyer.purchase.id })
  const mail = (await mailsTo(shop, buyer.user.email)).at(-1)
  expect(mail?.text).toContain(
    `Until ${dayInWords(by)}, you can also withdraw and get back everything you’ve paid for the time since your switch: `,
  )
  await advanceAndLogIn(16, buyer)
  expect(await withdrawalOf(buyer)).toBeNull()
})

test('within 14 days of the first payment, a withdrawal refunds everything, even after a switch', async () => {
  const buyer = await shop.buyer()
  const { row: rowBefore } = await readState(buyer)
  const firstBy = dayAfter(rowBefore?.orderedAt, 14).toISOString()
  await advanceAndLogIn(5, buyer)
  await switchNow(buyer)
  expect(await withdrawalOf(buyer)).toEqual({ by: firstBy, covers: 'all' })
  await advanceAndLogIn(11, buyer)
  const by = dayAfter((await readState(buyer)).row?.orderedAt, 14).toISOString()
  expect(await withdrawalOf(buyer)).toEqual({ by, covers: 'since_switch' })
})

test('a lost dispute over the month that was credited ends the year; one over an older month doesn’t', async () => {
  const { controls } = shop.sandbox
  const [credited, older] = [await shop.buyer(), await shop.buyer()]
  await switchNow(credited)
  await advanceAndLogIn(31, older)
  await switchNow(older)
  for (const { purchase } of [credited, older]) {
    const dispute = await controls.openDispute(purchase.paymentIntentId ?? '')
    await controls.closeDispute(dispute.id, 'lost')
  }
  await shop.settle()
  expect((await readState(credited)).row).toMatchObject({ status: 'cancelled', endedBecause: 'disputed' })
  expect((await readState(older)).row).toMatchObject({ status: 'active', billingType: 'yearly' })
})

test('the owner of a mailbox can’t switch with the card of a guest who typed their address', async () => {
  const owner = await shop.verifiedUser()
  const stranger = shop.visitor()
  await shop.guest(stranger, owner.user.email)
  await shop.settle()
  const [purchase] = await owner.call(purchases.list, {})
  const id = purchase?.id ?? ''
  const offer = () => owner.call(purchases.switchOffer, { id })
  await expect(offer()).rejects.toMatchObject({ status: 409, code: 'card-needed' })
  await shop.changeCard(owner, id, 'pm_card_visa')
  const { at, due } = await offer()
  await owner.call(purchases.switch, { id, at, amount: due })
})

test('the new owner of a guest’s account must save a card before a switch', async () => {
  const guest = shop.visitor()
  const { email } = await shop.guest(guest)
  await shop.settle()
  const owner = shop.visitor()
  await shop.choosePassword(owner, email, 'the mailbox’s owner')
  const [purchase] = await owner.call(purchases.list, {})
  await expect(owner.call(purchases.switchOffer, { id: purchase?.id ?? '' })).rejects.toMatchObject({
    code: 'card-needed',
  })
})
