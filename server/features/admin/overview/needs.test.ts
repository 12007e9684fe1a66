import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { access } from '#contract/access/access.ts'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { customers } from '#contract/admin/customers.ts'
import { figures } from '#contract/admin/figures.ts'
import { overview } from '#contract/admin/overview.ts'
import { settings } from '#contract/admin/settings.ts'
import { declarations } from '#contract/selling/declarations.ts'
import { declarationsAdmin } from '#contract/selling/declarations-admin.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { contact } from '#contract/site/contact.ts'
import { messages } from '#contract/site/messages.ts'
import { reviewsAdmin } from '#contract/site/reviews-admin.ts'
import { movementKinds } from '#contract/statuses.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { openSmtp } from '#server/testing/smtp.ts'

let smtp: Awaited<ReturnType<typeof openSmtp>>
let shop: TestShop
let admin: Awaited<ReturnType<TestShop['admin']>>
beforeAll(async () => {
  smtp = await openSmtp()
  shop = await openShop({
    env: {
      SELLER_NAME: 'Ada',
      SELLER_STREET: 'Row 1',
      SELLER_CITY: 'Solothurn',
      SELLER_COUNTRY: 'Switzerland',
      SUPPORT_EMAIL: 'help@shop.test',
      ASK_EXCHANGE_KEYS: 'yes',
      TERMS_LAW: 'Swiss law',
      TERMS_VENUE: 'Solothurn, Switzerland',
      SMTP_URL: smtp.url,
    },
  })
  admin = await shop.admin()
  await admin.call(settings.adminSaveLinks, {
    slug: 'rebound-sigma-pro',
    indicatorUrl: 'https://www.tradingview.com/script/a/',
    strategyUrl: 'https://www.tradingview.com/script/b/',
  })
})
afterAll(async () => {
  await shop.close()
  await smtp.close()
})

const needs = async () =>
  Object.fromEntries((await admin.call(overview.adminNeeds, {})).map(({ kind, ...need }) => [kind, need]))

test('a shop without open work has no tasks', async () => {
  expect(await needs()).toEqual({})
})

test('a disputed payment is counted with the day by which the bank wants an answer, and listed', async () => {
  const buyer = await shop.buyer()
  const dispute = await shop.sandbox.controls.openDispute(buyer.purchase.paymentIntentId ?? '')
  await shop.settle()
  const dueAt = new Date((dispute.evidence_details.due_by ?? 0) * 1000).toISOString()
  expect(await needs()).toEqual({ disputes: { count: 1, dueAt } })
  expect(await admin.call(purchasesAdmin.list, { need: 'disputes' })).toMatchObject([
    { id: buyer.purchase.id, isDisputed: true, disputeDueAt: dueAt },
  ])
  const timeline = await admin.call(customers.adminTimeline, { id: buyer.user.id, limit: 50 })
  expect(timeline.map(({ title }) => title)).toContainEqual(
    expect.stringMatching(/^Disputed a payment; answer the bank by \w+ \d+, \d{4}$/),
  )
  expect((await admin.call(purchasesAdmin.refundable, { id: buyer.purchase.id })).payments).toMatchObject([
    { refundable: 0 },
  ])
  await expect(admin.call(purchasesAdmin.refund, { id: buyer.purchase.id, refundedSoFar: 0 })).rejects.toMatchObject({
    code: 'refund-refused',
    message: expect.stringContaining('their bank decides'),
  })
  await shop.sandbox.controls.closeDispute(dispute.id, 'won')
  await shop.settle()
  expect(await needs()).toEqual({})
  expect(await admin.call(purchasesAdmin.list, { need: 'disputes' })).toEqual([])
})

test('a payment with a fraud warning is refunded and its subscription ended, or both are kept', async () => {
  const [thief, friend] = [await shop.buyer(), await shop.buyer()]
  for (const { purchase } of [thief, friend]) await shop.sandbox.controls.warnOfFraud(purchase.paymentIntentId ?? '')
  await shop.settle()
  expect(await needs()).toEqual({ fraud_warnings: { count: 2, dueAt: null } })
  expect(await admin.call(purchasesAdmin.list, { need: 'fraud_warnings' })).toMatchObject([
    { id: friend.purchase.id, isWarned: true },
    { id: thief.purchase.id, isWarned: true },
  ])
  await admin.call(purchasesAdmin.settleWarning, { id: thief.purchase.id, decision: 'refund' })
  await admin.call(purchasesAdmin.settleWarning, { id: friend.purchase.id, decision: 'dismiss' })
  await shop.settle()
  expect(await thief.call(purchases.list, {})).toMatchObject([
    { status: 'cancelled', endedBecause: 'refunded', refundedAmount: 3900 },
  ])
  expect(await friend.call(purchases.list, {})).toMatchObject([{ status: 'active', refundedAmount: 0 }])
  await shop.queue.runNow('reconcile')
  expect(await needs()).toEqual({})
})

test('a fraud warning about a disputed or refunded payment offers no refund', async () => {
  const [disputed, refunded] = [await shop.buyer(), await shop.buyer()]
  await shop.sandbox.controls.warnOfFraud(disputed.purchase.paymentIntentId ?? '')
  await shop.settle()
  const dispute = await shop.sandbox.controls.openDispute(disputed.purchase.paymentIntentId ?? '')
  await shop.settle()
  const refund = admin.call(purchasesAdmin.settleWarning, { id: disputed.purchase.id, decision: 'refund' })
  await expect(refund).rejects.toMatchObject({ code: 'refund-refused' })
  expect(await disputed.call(purchases.list, {})).toMatchObject([{ status: 'active', refundedAmount: 0 }])
  expect((await needs()).fraud_warnings).toMatchObject({ count: 1 })
  await admin.call(purchasesAdmin.settleWarning, { id: disputed.purchase.id, decision: 'dismiss' })
  await shop.sandbox.controls.closeDispute(dispute.id, 'won')

  const { id, paymentIntentId } = refunded.purchase
  await admin.call(purchasesAdmin.refund, { id, refundedSoFar: 0, keepAccess: true })
  await shop.sandbox.controls.warnOfFraud(paymentIntentId ?? '')
  await shop.settle()
  expect(await needs()).toEqual({})
})

test('a renewal that stays a draft for three days, and a credit note whose refund failed, are tasks', async () => {
  const [stuck, returned] = [await shop.buyer(), await shop.buyer()]
  const since = Math.floor(shop.clock.now().getTime() / 1000) - 4 * 86_400
  await shop.connection.db.execute(sql`
    update sandbox.objects set data = data || ${JSON.stringify({ status: 'draft', created: since })}::jsonb
    where kind = 'invoice' and data->'parent'->'subscription_details'->>'subscription' =
      (select stripe_subscription_id from purchases where id = ${stuck.purchase.id})`)
  // Cancelling makes the shop read the subscription again, with its draft.
  await stuck.call(purchases.cancel, { id: stuck.purchase.id })
  const { id } = await shop.sandbox.controls.refund(returned.purchase.paymentIntentId ?? '', 1000)
  await shop.settle()
  await shop.sandbox.controls.failRefund(id)
  await shop.settle()
  expect(await needs()).toEqual({
    failed_refunds: { count: 1, dueAt: null },
    uncovered_notes: { count: 1, dueAt: null },
    stuck_renewals: { count: 1, dueAt: null },
  })
  const purchaseIdsFor = async (need: 'stuck_renewals' | 'uncovered_notes') =>
    (await admin.call(purchasesAdmin.list, { need })).map((row) => row.id)
  expect(await purchaseIdsFor('stuck_renewals')).toEqual([stuck.purchase.id])
  expect(await purchaseIdsFor('uncovered_notes')).toEqual([returned.purchase.id])
  await admin.call(purchasesAdmin.settleRefunds, { id: returned.purchase.id, amount: 1000 })
  await admin.call(purchasesAdmin.cancel, { id: stuck.purchase.id })
  await shop.settle()
  expect(await needs()).toEqual({})
})

test('a message is a task until it is answered', async () => {
  const visitor = shop.visitor()
  await visitor.call(contact.send, { firstName: 'Vi', lastName: 'Sitor', email: 'v@x.test', message: 'Hm?' })
  expect(await needs()).toEqual({ messages: { count: 1, dueAt: null } })
  const [open] = await admin.call(messages.adminList, { state: 'open' })
  await admin.call(messages.adminReply, { id: open?.id ?? '', answer: 'Yes.' })
  expect(await needs()).toEqual({})
})

test('a review of three stars or fewer waits for a reply', async () => {
  const [critic, fan] = [await shop.buyer(), await shop.buyer()]
  const addReview = ({ user, purchase }: typeof critic, stars: number) =>
    shop.connection.db.execute(sql`
      insert into reviews (user_id, product_id, invited_at, stars, text, author, written_at)
      values (${user.id}, ${purchase.productId}, now(), ${stars}, 'It does what it says.', 'Ada', now())`)
  await addReview(critic, 3)
  await addReview(fan, 4)
  await shop.visitor().call(contact.send, { firstName: 'V', lastName: 'S', email: 'v@x.test', message: 'Hm?' })
  expect(Object.keys(await needs())).toEqual(['messages', 'reviews'])
  const reviewsToAnswer = await admin.call(reviewsAdmin.list, { show: 'to_answer' })
  expect(reviewsToAnswer).toMatchObject([{ stars: 3, customerId: critic.user.id }])
  expect(await admin.call(reviewsAdmin.list, { show: 'unanswered' })).toHaveLength(2)
  await admin.call(reviewsAdmin.answer, { id: reviewsToAnswer[0]?.id ?? '', answer: 'Thank you.' })
  const [message] = await admin.call(messages.adminList, { state: 'open' })
  await admin.call(messages.adminSettle, { id: message?.id ?? '', state: 'answered' })
  expect(await needs()).toEqual({})
})

test('an overdue request, a failed renewal, and a declaration are counted as their lists show them', async () => {
  const buyer = await shop.buyer({ laterCard: 'pm_card_chargeCustomerFail' })
  const requester = await shop.buyer()
  const form = { exchangeName: 'Kraken', tradingViewUsername: 'late_one', apiKey: 'k', secretKey: 's' }
  await requester.call(access.submitForPurchase, { purchaseId: requester.purchase.id, ...form })
  expect(await needs()).toEqual({ new_requests: { count: 1, dueAt: expect.any(String) } })
  expect(await admin.call(accessAdmin.todo, { overdue: 'no' })).toHaveLength(1)
  expect(await admin.call(accessAdmin.todo, { overdue: 'yes' })).toEqual([])
  await shop.connection.db.execute(sql`update access set asked_at = asked_at - interval '25 hours'`)
  await shop.advance(1, 'month')
  admin = await shop.admin()
  await shop
    .visitor()
    .call(declarations.withdraw, { name: 'Somebody', contract: 'I do not remember', email: 'somebody@example.com' })
  const openNeeds = await needs()
  expect(Object.keys(openNeeds), 'by deadline').toEqual(['overdue_requests', 'failed_payments', 'declarations'])
  expect(openNeeds).toMatchObject({
    overdue_requests: { count: 1 },
    failed_payments: { count: 1, dueAt: expect.any(String) },
    declarations: { count: 1, dueAt: expect.any(String) },
  })
  expect(await admin.call(accessAdmin.todo, {})).toHaveLength(1)
  expect(await admin.call(purchasesAdmin.list, { status: 'past_due' })).toMatchObject([{ id: buyer.purchase.id }])
  expect(await admin.call(declarationsAdmin.list, { state: 'open' })).toHaveLength(1)
  expect(await admin.call(declarationsAdmin.list, { state: 'done' })).toEqual([])
})

test('the figures of a month match the listed movements, and money at risk matches the listed purchases', async () => {
  const { months } = await admin.call(overview.adminShow, {})
  for (const { month, movements } of months.slice(-2))
    for (const kind of movementKinds)
      expect(await admin.call(figures.adminMovements, { month, kind })).toHaveLength(movements[kind].count)
  const paying = months.at(-1)?.paying
  expect(paying).toBeGreaterThan(0)
  expect(await admin.call(purchasesAdmin.list, { status: 'paying' })).toHaveLength(paying ?? 0)
  await shop.connection.db.execute(sql`
    update purchases set card_expires_at = now() + interval '20 days' where status = 'active'`)
  const { atRisk } = await admin.call(overview.adminShow, {})
  expect(atRisk.failed_payments).toMatchObject({ count: 1, amount: 3900, dueAt: expect.any(String) })
  for (const need of ['failed_payments', 'expiring_cards', 'disputed'] as const)
    expect(await admin.call(purchasesAdmin.list, { need })).toHaveLength(atRisk[need].count)
  expect(atRisk.expiring_cards.count).toBeGreaterThan(0)
})
