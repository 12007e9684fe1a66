import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Endpoint } from '#contract/endpoint.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { contract } from '#contract/index.ts'
import { type Role, roles } from '#contract/permissions.ts'
import { createAuthenticator } from '../testing/authenticator.ts'
import { endpoints, knock } from '../testing/knock.ts'
import { openShop, type TestShop } from '../testing/open-shop.ts'
import type { Visitor } from '../testing/visitor.ts'

let shop: TestShop
let people: Record<'anonymous' | 'deleted user' | 'unproven' | 'buyer A' | 'buyer B' | 'admin' | Role, Visitor>
let recordsOfA: { purchaseId: string; deviceId: string; passkeyId: string; paymentIntentId: string; invoiceId: string }

beforeAll(async () => {
  shop = await openShop()
  const [buyerA, buyerB, deleted] = [await shop.buyer(), await shop.buyer(), await shop.user()]
  const admin = await shop.admin()
  await admin.call(accountsAdmin.delete, { id: deleted.user.id })
  people = {
    anonymous: shop.visitor(),
    'deleted user': deleted,
    unproven: await shop.user(),
    'buyer A': buyerA,
    'buyer B': buyerB,
    support: await shop.staff('support'),
    accountant: await shop.staff('accountant'),
    admin,
  }
  await shop.confirm(buyerA)
  await shop.confirm(buyerB)
  const passkey = createAuthenticator(shop.url)
  const response = passkey.register(await buyerA.call(contract.factors.beginPasskey, {}))
  await buyerA.call(contract.factors.addPasskey, { name: 'Hers', response })
  const [device] = await buyerA.call(accounts.devices, {})
  const [invoice] = await buyerA.call(contract.purchases.invoices, { id: buyerA.purchase.id })
  recordsOfA = {
    purchaseId: buyerA.purchase.id,
    deviceId: device?.id ?? '',
    passkeyId: passkey.id,
    paymentIntentId: buyerA.purchase.paymentIntentId ?? '',
    invoiceId: invoice?.id ?? '',
  }
})
afterAll(() => shop.close())

test.for(endpoints)('$name is mounted', ({ endpoint: { method, path } }) => {
  expect(shop.app.hasRoute({ method, url: path })).toBe(true)
})

async function answerTo(endpoint: Endpoint, visitor: Visitor) {
  const response = await knock(endpoint, visitor)
  if (response.status < 400) return `${response.status}`
  const { code } = (await response.json()) as { code: string }
  return `${response.status} ${code}`
}

/** `knock` sends an unknown field, so a call that is allowed answers this. */
const allowed = '400 invalid-input'
const loggedOut = '401 login-required'
const forbidden = '403 forbidden'
const everyone = {
  anonymous: allowed,
  'deleted user': allowed,
  unproven: allowed,
  'buyer A': allowed,
  'buyer B': allowed,
  support: allowed,
  accountant: allowed,
  admin: allowed,
}
const everyUser = { ...everyone, anonymous: loggedOut, 'deleted user': loggedOut }
/** Listed by hand, so that no role gains a call unnoticed. */
const callsOf: Record<Role, string[]> = {
  support: [
    'accessAdmin.counts',
    'accessAdmin.decline',
    'accessAdmin.grant',
    'accessAdmin.history',
    'accessAdmin.lock',
    'accessAdmin.people',
    'accessAdmin.restore',
    'accessAdmin.todo',
    'accessAdmin.undo',
    'accessAdmin.withhold',
    'accountsAdmin.list',
    'customers.adminAddNote',
    'customers.adminDeleteNote',
    'customers.adminDocument',
    'customers.adminMail',
    'customers.adminPayments',
    'customers.adminResend',
    'customers.adminSeeAs',
    'customers.adminSendPasswordLink',
    'customers.adminShow',
    'customers.adminSuppress',
    'customers.adminTimeline',
    'customers.adminWrite',
    'messages.adminList',
    'messages.adminReply',
    'messages.adminSettle',
    'overview.adminNeeds',
    'purchasesAdmin.cancelAtPeriodEnd',
    'purchasesAdmin.cancellation',
    'purchasesAdmin.list',
    'search.adminFind',
  ],
  accountant: [
    'bookkeeping.adminExportMonth',
    'bookkeeping.adminExportTaxes',
    'bookkeeping.adminMonths',
    'bookkeeping.adminPayoutLines',
    'bookkeeping.adminPayouts',
    'bookkeeping.adminTaxes',
    'figures.adminExportPayments',
    'figures.adminPayments',
  ],
}

function expectedAnswers(name: string, { answer, access, proven }: Endpoint) {
  if (answer === 'redirect') return Object.fromEntries(Object.keys(people).map((who) => [who, '303']))
  if (access === 'public') return everyone
  if (access === 'user') return proven ? { ...everyUser, unproven: '403 unproven' } : everyUser
  const [support, accountant] = roles.map((role) => (callsOf[role].includes(name) ? allowed : forbidden))
  return { ...everyUser, unproven: forbidden, 'buyer A': forbidden, 'buyer B': forbidden, support, accountant }
}

test.for(endpoints)('$name allows exactly the right people', async ({ name, endpoint }) => {
  const askAs = async ([who, visitor]: [string, Visitor]) => [who, await answerTo(endpoint, visitor)] as const
  const answers = await Promise.all(Object.entries(people).map(askAs))
  expect(Object.fromEntries(answers)).toEqual(expectedAnswers(name, endpoint))
})

test('calls that make a stolen account hard to recover need a confirmed address', () => {
  const proven = endpoints.filter(({ endpoint }) => endpoint.proven).map(({ name }) => name)
  expect(proven.toSorted()).toEqual([
    'factors.addPasskey',
    'factors.beginAppCodes',
    'factors.beginPasskey',
    'factors.confirmAppCodes',
    'factors.renewRecoveryCodes',
  ])
})

describe('buyer B cannot use records of buyer A', () => {
  const form = { exchangeName: 'Kraken', tradingViewUsername: 'eve', apiKey: 'key', secretKey: 'secret' }
  const attacks: Record<string, () => Record<string, string | number>> = {
    'accounts.logoutDevice': () => ({ id: recordsOfA.deviceId }),
    'factors.renamePasskey': () => ({ id: recordsOfA.passkeyId, name: 'Mine now' }),
    'factors.removePasskey': () => ({ id: recordsOfA.passkeyId }),
    'checkout.confirm': () => ({ paymentIntentId: recordsOfA.paymentIntentId }),
    'purchases.cancel': () => ({ id: recordsOfA.purchaseId }),
    'purchases.cancellation': () => ({ id: recordsOfA.purchaseId }),
    'purchases.nextCharge': () => ({ id: recordsOfA.purchaseId }),
    'purchases.giveReason': () => ({ id: recordsOfA.purchaseId, reason: 'unused' }),
    'purchases.resume': () => ({ id: recordsOfA.purchaseId }),
    'purchases.invoice': () => ({ id: recordsOfA.purchaseId }),
    'purchases.invoices': () => ({ id: recordsOfA.purchaseId }),
    'purchases.document': () => ({ document: recordsOfA.invoiceId }),
    'purchases.beginCardUpdate': () => ({ id: recordsOfA.purchaseId }),
    'purchases.switchOffer': () => ({ id: recordsOfA.purchaseId }),
    'purchases.switch': () => ({ id: recordsOfA.purchaseId, at: '2026-11-17T00:00:00Z', amount: 36_660 }),
    'purchases.finishSwitch': () => ({ id: recordsOfA.purchaseId }),
    'purchases.finishCardUpdate': () => ({ id: recordsOfA.purchaseId, setupIntentId: 'seti_1' }),
    'access.submit': () => ({ ...form, paymentIntentId: recordsOfA.paymentIntentId }),
    'access.submitForPurchase': () => ({ ...form, purchaseId: recordsOfA.purchaseId }),
    'access.recheck': () => ({ purchaseId: recordsOfA.purchaseId }),
    'access.changeUsername': () => ({ purchaseId: recordsOfA.purchaseId, username: 'eve_trades' }),
  }

  test('every user call that names an object is tried', () => {
    const namesObject = (endpoint: Endpoint) => {
      const fields = fieldsOf(endpoint)
      return endpoint.path.includes(':') || 'paymentIntentId' in fields || 'purchaseId' in fields
    }
    const attackable = endpoints.filter(({ endpoint }) => endpoint.access === 'user' && namesObject(endpoint))
    expect(attackable.map(({ name }) => name).toSorted()).toEqual(Object.keys(attacks).toSorted())
  })

  test.for(Object.entries(attacks))('%s answers 404', async ([name, input]) => {
    const endpoint = endpoints.find((candidate) => candidate.name === name)?.endpoint
    if (!endpoint) throw new Error(`${name} is not in the contract`)
    await expect(people['buyer B'].call(endpoint, input())).rejects.toMatchObject({ status: 404, code: 'not-found' })
  })

  test('none of these attempts changes anything of buyer A', async () => {
    expect(await people['buyer A'].call(contract.purchases.list, {})).toMatchObject([
      { id: recordsOfA.purchaseId, status: 'active' },
    ])
    expect(await people['buyer A'].call(accounts.devices, {})).toMatchObject([{ id: recordsOfA.deviceId }])
    expect(await people['buyer A'].call(contract.access.mine, {})).toMatchObject([{ state: 'none' }])
  })
})

function fieldsOf({ input }: Endpoint): object {
  return 'shape' in input && typeof input.shape === 'object' ? (input.shape ?? {}) : {}
}
