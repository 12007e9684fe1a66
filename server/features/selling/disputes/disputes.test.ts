import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { access } from '#contract/access/access.ts'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { audit } from '#contract/admin/activity.ts'
import { figures } from '#contract/admin/figures.ts'
import { overview } from '#contract/admin/overview.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { retention } from '#contract/retention.ts'
import { checkout } from '#contract/selling/checkout.ts'
import { disputes } from '#contract/selling/disputes.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { contact } from '#contract/site/contact.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
let admin: Awaited<ReturnType<TestShop['admin']>>
let stripeCalls: unknown[] = []
beforeAll(async () => {
  shop = await openShop()
  shop.sandbox.onCall((call) => void stripeCalls.push(call))
})
beforeEach(async () => {
  admin = await shop.admin()
})
afterAll(() => shop.close())

type Reason = 'fraudulent' | 'subscription_canceled' | 'product_not_received' | 'duplicate'

async function buyAndDispute(reason: Reason = 'fraudulent') {
  const buyer = await shop.verifiedUser()
  const begun = await shop.begin(buyer)
  const { paymentIntentId } = begun
  await buyer.call(checkout.agree, { paymentIntentId })
  await shop.pay(begun)
  await shop.confirmPurchase(buyer, begun)
  const dispute = await shop.sandbox.controls.openDispute(paymentIntentId, 'needs_response', reason)
  await shop.settle()
  return { buyer, paymentIntentId, id: dispute.id, dueAt: new Date(dispute.evidence_details.due_by * 1000) }
}

const atStripe = async (id: string) => {
  const { rows } = await shop.connection.pool.query('select data from sandbox.objects where id = $1', [id])
  return rows[0]?.data
}

async function suggestedAnswer(id: string) {
  const shown = await admin.call(disputes.adminShow, { id })
  const texts = Object.fromEntries(shown.texts.map(({ name, value }) => [name, value]))
  return { id, texts, files: shown.files.map(({ name }) => name) }
}

const needsAnswer = async (q: string) => (await admin.call(purchasesAdmin.list, { need: 'disputes', q })).length === 1

test('an open dispute shows the stored evidence (terms, address, access, logins, messages) without a call to Stripe', async () => {
  const { buyer, paymentIntentId, id, dueAt } = await buyAndDispute()
  const { email } = buyer.user
  const form = { exchangeName: 'Kraken', tradingViewUsername: 'disputing', apiKey: 'k', secretKey: 's' }
  await buyer.call(access.submit, { paymentIntentId, ...form })
  const accessRequest = (await admin.call(accessAdmin.todo, {})).find(({ username }) => username === 'disputing')
  await admin.call(accessAdmin.grant, { ids: [accessRequest?.id ?? ''] })
  await buyer.call(contact.send, { firstName: 'A', lastName: 'B', email, message: 'It works, thanks!' })
  await shop.settle()

  stripeCalls = []
  const shown = await admin.call(disputes.adminShow, { id })
  expect(stripeCalls).toEqual([])
  expect(shown).toMatchObject({ reason: 'fraudulent', status: 'needs_response', amount: 3900, submittedAt: null })
  expect(shown).toMatchObject({ dueAt: dueAt.toISOString(), customer: { id: buyer.user.id } })
  const valueOf = (name: string) => shown.texts.find((text) => text.name === name)?.value ?? ''
  expect(valueOf('customer_email_address')).toBe(email)
  expect(valueOf('customer_purchase_ip')).toMatch(/^[\d.:a-f]+$/)
  expect(valueOf('access_activity_log')).toMatch(/UTC {2}Unlocked by hand: disputing on TradingView/)
  expect(valueOf('access_activity_log')).toMatch(/UTC {2}Logged in from /)
  const contentOf = (name: string) => shown.files.find((file) => file.name === name)?.content ?? ''
  expect(contentOf('receipt')).toContain('$39.00')
  expect(contentOf('service_documentation')).toMatch(/Terms accepted .*version [0-9a-f]{8}/)
  expect(contentOf('customer_communication')).toContain('It works, thanks!')

  expect(await admin.call(purchasesAdmin.list, { need: 'disputes', q: email })).toMatchObject([{ disputeIds: [id] }])
  expect(await admin.call(figures.adminPayments, { q: email })).toMatchObject([{ kind: 'payment', disputeId: id }])
})

test('an answer is saved in the shop and sent once with its files, and then the bank decides', async () => {
  const { buyer, id } = await buyAndDispute('subscription_canceled')
  const { texts, files } = await suggestedAnswer(id)
  expect(texts).toMatchObject({ cancellation_rebuttal: expect.stringContaining('has not been cancelled') })
  expect(texts['cancellation_policy_disclosure']).toMatch(/accepted the terms \(version [0-9a-f]{8}\)/)
  expect(files).toContain('cancellation_policy')

  stripeCalls = []
  const answer = { id, texts: { ...texts, uncategorized_text: 'They used it for a year.' }, files }
  await admin.call(disputes.adminSave, { ...answer, files: ['receipt'] })
  expect(stripeCalls).toEqual([])
  const saved = await admin.call(disputes.adminShow, { id })
  expect(saved.texts).toContainEqual({ name: 'uncategorized_text', value: 'They used it for a year.' })
  expect(saved.files.filter(({ isIncluded }) => isIncluded).map(({ name }) => name)).toEqual(['receipt'])
  expect(await needsAnswer(buyer.user.email)).toBe(true)

  await admin.call(disputes.adminSubmit, answer)
  const { evidence, evidence_details: details, status } = await atStripe(id)
  expect([status, details.submission_count, evidence.uncategorized_text]).toEqual([
    'under_review',
    1,
    'They used it for a year.',
  ])
  const { purpose, filename, $sandbox: file } = await atStripe(evidence.cancellation_policy)
  expect([purpose, filename]).toEqual(['dispute_evidence', 'cancellation_policy.pdf'])
  const pdf = Buffer.from(file.data, 'base64').toString('latin1')
  expect(pdf).toMatch(/^%PDF-1.4/)
  expect(pdf).toContain('TERMS, VERSION')
  expect(await admin.call(disputes.adminShow, { id })).toMatchObject({ status: 'under_review', dueAt: null })
  expect((await admin.call(audit.adminList, { q: 'dispute.submit' })).length).toBeGreaterThan(0)
  await expect(admin.call(disputes.adminSubmit, answer)).rejects.toMatchObject({ code: 'already-handled' })
  await expect(admin.call(disputes.adminSave, answer)).rejects.toMatchObject({ code: 'already-handled' })
  expect(await needsAnswer(buyer.user.email)).toBe(false)
  expect((await admin.call(overview.adminShow, {})).atRisk.disputed.count).toBeGreaterThan(0)

  await shop.sandbox.controls.closeDispute(id, 'won')
  await shop.settle()
  expect(await admin.call(disputes.adminShow, { id })).toMatchObject({ status: 'won', texts: [], files: [] })
})

test('the suggested evidence depends on the reason of the dispute', async () => {
  const duplicate = await suggestedAnswer((await buyAndDispute('duplicate')).id)
  expect(Object.keys(duplicate.texts)).toContain('duplicate_charge_explanation')
  expect(Object.keys(duplicate.texts)).not.toContain('cancellation_rebuttal')
  const notReceived = await suggestedAnswer((await buyAndDispute('product_not_received')).id)
  expect(notReceived.files).toEqual(['receipt', 'service_documentation', 'customer_communication'])
})

test.for([
  ['rak_file_write', 'Files: write'],
  ['rak_dispute_write', 'Disputes: write'],
])('without the permission %s, the screen names it, and no answer is sent', async ([missing = '', permission = '']) => {
  const { id } = await buyAndDispute()
  const answer = await suggestedAnswer(id)
  await shop.sandbox.controls.behave({ key: { without: [missing] } })
  const refusal = { code: 'answer-refused', serverMessage: expect.stringContaining(`“${permission}”`) }
  await expect(admin.call(disputes.adminSubmit, answer)).rejects.toMatchObject(refusal)
  await shop.sandbox.controls.behaveAsUsual()
  expect((await atStripe(id)).status).toBe('needs_response')
  expect((await admin.call(disputes.adminShow, { id })).fault).toContain(permission)
  await admin.call(disputes.adminSubmit, answer)
  expect((await admin.call(disputes.adminShow, { id })).fault).toBeNull()
})

test('an answer that Stripe stored before it failed counts as sent, and a refusal shows Stripe’s sentence', async () => {
  const { id } = await buyAndDispute()
  const answer = await suggestedAnswer(id)
  const on = 'POST /v1/disputes'
  await shop.sandbox.controls.failNext({ on, status: 400 })
  await expect(admin.call(disputes.adminSubmit, answer)).rejects.toMatchObject({
    code: 'answer-refused',
    serverMessage: 'Stripe didn’t accept the answer: This request cannot be completed.',
  })
  await shop.sandbox.controls.failNext({ on, status: 500, done: true })
  await admin.call(disputes.adminSubmit, answer)
  expect((await atStripe(id)).evidence_details.submission_count).toBe(1)
})

test('the order’s IP address and the answer are deleted with the account, and the address after 18 months', async () => {
  const [first, second] = [await buyAndDispute(), await buyAndDispute()]
  await admin.call(disputes.adminSave, await suggestedAnswer(first.id))
  const data = await first.buyer.call(accounts.myData, {})
  expect(data).toMatchObject({ disputes: [{ reason: 'fraudulent', answer: { files: expect.any(Array) } }] })
  expect(data).toMatchObject({ orders: [{ ip: expect.any(String) }] })
  await admin.call(accountsAdmin.delete, { id: first.buyer.user.id })
  const shown = await admin.call(disputes.adminShow, { id: first.id })
  expect(JSON.stringify(shown)).not.toContain(first.buyer.user.email)
  expect(shown).toMatchObject({ customer: null, savedAt: expect.any(String) })
  expect(shown.texts).toContainEqual({ name: 'customer_purchase_ip', value: '' })

  const ipOf = async (id: string) =>
    (await admin.call(disputes.adminShow, { id })).facts.find(({ label }) => label === 'IP address of the order')?.value
  expect(await ipOf(second.id)).toMatch(/^[\d.:a-f]+$/)
  await shop.connection.pool.query(
    `update orders set created_at = created_at - make_interval(days => $1) where payment_intent_id = $2`,
    [retention.orderAddresses.days + 1, second.paymentIntentId],
  )
  await shop.queue.runNow('forget-order-addresses')
  expect(await ipOf(second.id)).toBe('no longer kept')
})

test('no answer is sent after the deadline', async () => {
  const { id } = await buyAndDispute()
  const answer = await suggestedAnswer(id)
  shop.clock.advance({ days: 8 })
  admin = await shop.admin()
  stripeCalls = []
  await expect(admin.call(disputes.adminSubmit, answer)).rejects.toMatchObject({ code: 'too-late' })
  expect(stripeCalls).toEqual([])
})
