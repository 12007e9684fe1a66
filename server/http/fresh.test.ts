import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Endpoint } from '#contract/endpoint.ts'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { stepUp } from '#contract/identity/step-up.ts'
import { contract } from '#contract/index.ts'
import { isPermission } from '#contract/permissions.ts'
import { sessions } from '../database/schema.ts'
import { addApp } from '../testing/authenticator-app.ts'
import { endpoints, knock } from '../testing/knock.ts'
import { openShop, type TestShop } from '../testing/open-shop.ts'
import { production } from '../testing/production.ts'
import type { Visitor } from '../testing/visitor.ts'

const { accessAdmin, purchases } = contract
/** `knock` sends an invalid field, which is refused after the permission is checked. */
const allowedStatus = 400
const statusOf = async (endpoint: Endpoint, visitor: Visitor) => (await knock(endpoint, visitor)).status

let shop: TestShop
beforeAll(async () => {
  shop = await openShop({ env: { ...production, ADMIN_TWO_FACTOR: 'optional' } })
})
afterAll(() => shop.close())

describe('eleven minutes after the login', () => {
  let admin: Visitor
  beforeAll(async () => {
    admin = await shop.admin()
    shop.clock.advance({ minutes: 11 })
  })

  test.for(endpoints)('$name asks for a fresh proof only if its contract says so', async ({ endpoint }) => {
    const statusWithoutRedirect = endpoint.fresh === true ? 403 : allowedStatus
    const expectedStatus = endpoint.answer === 'redirect' ? 303 : statusWithoutRedirect
    expect(await statusOf(endpoint, admin)).toBe(expectedStatus)
  })

  test('a call that carries the password still asks people with a second factor for a fresh proof', async () => {
    const buyer = await shop.verifiedUser()
    await addApp(shop, buyer)
    shop.clock.advance({ minutes: 11 })
    const callsWithPassword = endpoints.filter(({ endpoint }) => endpoint.fresh === 'or password')
    for (const { name, endpoint } of callsWithPassword) expect(await statusOf(endpoint, buyer), name).toBe(403)
  })
})

describe('a call that spends a buyer’s money or moves their access', () => {
  const changeUsername = (buyer: Visitor & { purchase: { id: string } }, username: string) =>
    buyer.call(contract.access.changeUsername, { purchaseId: buyer.purchase.id, username })

  test('asks for a proof a day after the login, but never for a first username or a cancellation', async () => {
    const buyer = await shop.buyer()
    shop.clock.advance({ hours: 25 })
    await changeUsername(buyer, 'first_name')
    const admin = await shop.admin()
    const [request] = await admin.call(accessAdmin.todo, {})
    await admin.call(accessAdmin.grant, { ids: [request?.id ?? ''] })
    await expect(changeUsername(buyer, 'second_name')).rejects.toMatchObject({
      code: 'prove-again',
      acceptedProofs: ['password'],
    })
    expect(await statusOf(purchases.switch, buyer)).toBe(403)
    await buyer.call(purchases.cancel, { id: buyer.purchase.id })
    await buyer.call(stepUp.withPassword, { password: buyer.password })
    await changeUsername(buyer, 'second_name')
  })

  test('asks people with a second factor for a proof ten minutes after the login', async () => {
    const buyer = await shop.buyer()
    await shop.confirm(buyer)
    await addApp(shop, buyer)
    shop.clock.advance({ minutes: 11 })
    expect(await statusOf(purchases.switch, buyer)).toBe(403)
  })

  test('tells a buyer without a password how to get one', async () => {
    await using isolatedShop = await openShop({ env: production })
    const guest = isolatedShop.visitor()
    await isolatedShop.logInGuest(guest, await isolatedShop.guest(guest))
    isolatedShop.clock.advance({ hours: 25 })
    const [purchase] = await guest.call(purchases.list, {})
    const order = { id: purchase?.id ?? '', at: isolatedShop.clock.now().toISOString(), amount: 35_100 }
    await expect(guest.call(purchases.switch, order)).rejects.toMatchObject({ code: 'password-missing' })
  })
})

describe('one proof', () => {
  const saveSettings = (admin: Visitor) => statusOf(contract.settings.adminSave, admin)

  test('lasts until ten minutes after the last call that needed it', async () => {
    const admin = await shop.admin()
    for (let calls = 0; calls < 5; calls++) {
      shop.clock.advance({ minutes: 9 })
      expect(await saveSettings(admin)).toBe(allowedStatus)
    }
    shop.clock.advance({ minutes: 10 })
    expect(await saveSettings(admin)).toBe(403)
  })

  test('lasts an hour at most', async () => {
    const admin = await shop.admin()
    for (let calls = 0; calls < 6; calls++) {
      shop.clock.advance({ minutes: 9 })
      expect(await saveSettings(admin)).toBe(allowedStatus)
    }
    shop.clock.advance({ minutes: 6 })
    expect(await saveSettings(admin)).toBe(403)
    await admin.call(stepUp.withPassword, { password: admin.password })
    expect(await saveSettings(admin)).toBe(allowedStatus)
  })

  test('is not kept alive by calls that don’t need it, or that were refused', async () => {
    const admin = await shop.admin()
    shop.clock.advance({ minutes: 9 })
    await admin.call(accountsAdmin.list, {})
    shop.clock.advance({ minutes: 2 })
    for (let tries = 0; tries < 2; tries++) expect(await saveSettings(admin)).toBe(403)
  })

  test('is stored as used only once for calls that follow each other quickly', async () => {
    const admin = await shop.admin()
    const countUsed = async () => {
      const rows = await shop.connection.db.select({ at: sessions.proofUsedAt }).from(sessions)
      return rows.filter(({ at }) => at !== null).length
    }
    const usedBefore = await countUsed()
    await saveSettings(admin)
    expect(await countUsed()).toBe(usedBefore)
    shop.clock.advance({ minutes: 1 })
    await saveSettings(admin)
    expect(await countUsed()).toBe(usedBefore + 1)
  })
})

test('calls that a thief with a stolen session would want ask for a fresh proof', () => {
  const fresh = endpoints.filter(({ endpoint }) => endpoint.fresh).map(({ name }) => name)
  expect(fresh.toSorted()).toEqual(wantedByThieves.toSorted())
})

test('all other changes by staff are listed as needing no fresh proof', () => {
  const withoutProof = endpoints.filter(
    ({ endpoint: { access, method, fresh } }) => isPermission(access) && method !== 'GET' && !fresh,
  )
  expect(withoutProof.map(({ name }) => name).toSorted()).toEqual(Object.keys(notWorthAsking).toSorted())
})

const wantedByThieves = [
  // Someone's own account.
  'factors.beginAppCodes',
  'factors.confirmAppCodes',
  'factors.removeAppCodes',
  'factors.renewRecoveryCodes',
  'factors.beginPasskey',
  'factors.addPasskey',
  'factors.removePasskey',
  'credentials.changePassword',
  'credentials.changeEmail',
  'accounts.deleteMyself',
  // Other people, and what is kept about them.
  'accountsAdmin.add',
  'accountsAdmin.delete',
  'staff.adminSetRole',
  'customers.adminCorrectEmail',
  'customers.adminSeeAs',
  'customerData.adminDownload',
  'exports.download',
  'newsletterAddresses.adminExport',
  'accessAdmin.reveal',
  // Money, and who may use what was sold.
  'purchases.switch',
  'codes.adminAdd',
  'codes.adminStop',
  'accessAdmin.settleDeclined',
  'purchasesAdmin.add',
  'purchasesAdmin.cancel',
  'purchasesAdmin.cancelAtPeriodEnd',
  'purchasesAdmin.extend',
  'purchasesAdmin.resume',
  'purchasesAdmin.retryPayment',
  'purchasesAdmin.sendPayLink',
  'purchasesAdmin.keepAfterLoss',
  'purchasesAdmin.settleRefunds',
  'purchasesAdmin.settleWarning',
  'purchasesAdmin.refund',
  'disputes.adminSubmit',
  'purchasesAdmin.delete',
  'figures.adminExportPayments',
  'bookkeeping.adminExportMonth',
  'bookkeeping.adminExportTaxes',
  'imports.adminImport',
  'takeover.adminSetPlan',
  'takeover.adminTakeOver',
  'declarationsAdmin.carryOut',
  'declarationsAdmin.close',
  'accessAdmin.withhold',
  'accessAdmin.lock',
  // The connection to TradingView.
  'tradingViewAdmin.connect',
  'tradingViewAdmin.forget',
  'tradingViewAdmin.pause',
  'tradingViewAdmin.resume',
  'tradingViewAdmin.settings',
  'tradingViewAdmin.chooseScript',
  'tradingViewAdmin.dropScript',
  'accessAdmin.adopt',
  'accessAdmin.rename',
  // Content that buyers see or act on.
  'settings.adminSave',
  'settings.adminSaveLinks',
  'settings.adminSavePhoto',
  'assetsAdmin.add',
  'assetsAdmin.import',
  'assetsAdmin.move',
  'assetsAdmin.switch',
  'assetsAdmin.note',
  'assetsAdmin.review',
  'assetsAdmin.delete',
  'reviewsAdmin.answer',
  'reviewsAdmin.hide',
  'messages.adminReply',
  'customers.adminWrite',
  'serviceMessages.adminSend',
  'accessAdmin.decline',
  'newsletters.adminSend',
  'newsletters.adminResume',
  'prices.adminPublish',
]

/** Changes by staff without a fresh proof, and why they are of no use to a thief. */
const notWorthAsking: Record<string, string> = {
  'declarationsAdmin.link': 'says whose it is; carrying it out asks',
  'checklist.adminConfirm': 'ticks a line of a list',
  'accessAdmin.grant': 'opens only what was paid for; the day’s work of support',
  'accessAdmin.undo': 'takes back an unlock of the last minute, before the buyer is told',
  'accessAdmin.restore': 'opens only what is still paid for',
  'tradingViewAdmin.test': 'only asks whether the session is alive',
  'tradingViewAdmin.reconcile': 'does what the schedule does anyway',
  'accessAdmin.retry': 'does what the schedule does anyway',
  'customers.adminSuppress': 'means less mail, and can be taken back',
  'disputes.adminSave': 'a draft goes to no one',
  'newsletters.adminCreate': 'a draft goes to no one',
  'newsletters.adminSave': 'a draft goes to no one',
  'newsletters.adminDelete': 'only drafts can be deleted',
  'newsletters.adminTest': 'goes to one’s own address',
  'serviceMessages.adminTest': 'goes to one’s own address',
  'newsletters.adminPause': 'means less mail, and can be taken back',
  'newsletters.adminStop': 'means less mail',
  'messages.adminSettle': 'a mark for the seller, which can be taken back',
  'customers.adminResend': 'the shop’s own words, to the customer’s own address',
  'customers.adminAddNote': 'for staff only',
  'customers.adminDeleteNote': 'for staff only',
  'customers.adminSendPasswordLink': 'goes to the customer’s own mailbox',
  'jobs.adminRetry': 'does what was to be done anyway',
  'jobs.adminDiscard': 'drops what had failed for good',
  'imports.adminCheck': 'changes nothing',
  'reminders.adminSend': 'the shop’s own words, once a week at most',
  'settings.adminTestMail': 'goes to the admin who asks',
}
