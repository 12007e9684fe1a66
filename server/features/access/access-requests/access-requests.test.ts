import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessRequests as contract } from '#contract/access/access-requests.ts'
import { audit } from '#contract/desk/audit.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { purchases as purchaseCalls } from '#contract/selling/purchases.ts'
import { accessRequests, purchases, users } from '#server/database/schema.ts'
import { bookPurchase } from '#server/testing/book-purchase.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

const form = {
  exchangeName: 'Binance',
  tradingViewUsername: 'ada_trades',
  apiKey: 'api-key-of-ada',
  secretKey: 'secret-key-of-ada',
}

async function owner(values?: Parameters<typeof bookPurchase>[2]) {
  const buyer = await shop.user()
  const purchase = await bookPurchase(shop.connection, buyer.user.id, values)
  const ask = (changes: Partial<typeof form> = {}) =>
    buyer.call(contract.submitForPurchase, { ...form, ...changes, purchaseId: purchase.id })
  return { ...buyer, purchase, ask }
}

async function onlyRequestOf(buyer: Awaited<ReturnType<typeof owner>>) {
  const [request, ...others] = await buyer.call(contract.list, {})
  if (!request || others.length > 0) throw new Error('Expected exactly one request')
  return request
}

const setStatus = (purchaseId: string, status: 'active' | 'cancelled') =>
  shop.connection.db.update(purchases).set({ status }).where(eq(purchases.id, purchaseId))

/** Emails about access. */
async function mailsTo(email: string) {
  const mails = await shop.mails()
  return mails
    .filter(({ to, subject }) => to === email && /access/.test(subject))
    .map(({ subject }) => subject)
}

/** Other tests leave requests behind, so look only at this buyer's. */
async function queue(list: 'adminList' | 'adminToRevoke', email: string) {
  const admin = await shop.admin()
  const found = []
  let cursor: string | undefined
  do {
    const page = await admin.callPage(contract[list], { limit: 2, cursor })
    found.push(...page.items)
    cursor = page.next
  } while (cursor)
  return found.filter(({ user }) => user.email === email)
}

async function grantedBuyer() {
  const [admin, buyer] = [await shop.admin(), await owner()]
  await buyer.ask()
  const { id } = await onlyRequestOf(buyer)
  await admin.call(contract.adminGrant, { ids: [id] })
  const toRevoke = () => queue('adminToRevoke', buyer.user.email)
  return { ...buyer, admin, requestId: id, toRevoke }
}

describe('requesting access', () => {
  test('works with the payment, as on the success page', async () => {
    const buyer = await owner({ paymentIntentId: 'pi_of_ada' })
    await buyer.call(contract.submit, { ...form, paymentIntentId: 'pi_of_ada', additionalInfo: 'On a Mac' })
    const request = await onlyRequestOf(buyer)
    expect(request).toMatchObject({
      purchaseId: buyer.purchase.id,
      exchangeName: 'Binance',
      tradingViewUsername: 'ada_trades',
      additionalInfo: 'On a Mac',
      status: 'requested',
      reason: null,
      decidedAt: null,
    })
    const promised = new Date(request.promisedBy).getTime() - new Date(request.submittedAt).getTime()
    expect(promised).toBe(24 * 3_600_000)
    expect(await mailsTo(buyer.user.email)).toContain('We’ve got your access request')
  })

  test('saves the TradingView username to the profile', async () => {
    const buyer = await owner()
    await buyer.ask()
    const [row] = await shop.connection.db.select().from(users).where(eq(users.id, buyer.user.id))
    expect(row?.tradingViewUsername).toBe('ada_trades')
  })

  test('says what is missing, in the promised words', async () => {
    const buyer = await owner()
    const empty = { exchangeName: '', tradingViewUsername: ' ', apiKey: '', secretKey: '' }
    await expect(buyer.ask(empty)).rejects.toMatchObject({
      status: 400,
      fields: {
        exchangeName: 'Exchange name is required',
        tradingViewUsername: 'TradingView username is required',
        apiKey: 'API key is required',
        secretKey: 'Secret key is required',
      },
    })
  })

  test('is refused to strangers as if the purchase didn’t exist', async () => {
    const buyer = await owner({ paymentIntentId: 'pi_of_somebody' })
    const stranger = await shop.user()
    const notFound = { status: 404, serverMessage: 'Purchase not found' }
    await expect(
      stranger.call(contract.submitForPurchase, { ...form, purchaseId: buyer.purchase.id }),
    ).rejects.toMatchObject(notFound)
    await expect(
      stranger.call(contract.submit, { ...form, paymentIntentId: 'pi_of_somebody' }),
    ).rejects.toMatchObject(notFound)
    await expect(
      stranger.call(contract.submit, { ...form, paymentIntentId: 'pi_of_nobody' }),
    ).rejects.toMatchObject(notFound)
    expect(await stranger.call(contract.list, {})).toEqual([])
    expect(await buyer.call(contract.list, {})).toEqual([])
  })

  test.for(['cancelled', 'expired'] as const)(
    'is no longer possible once the purchase is %s',
    async (status) => {
      const buyer = await owner({ status })
      await expect(buyer.ask()).rejects.toMatchObject({ status: 409 })
      expect(await buyer.call(contract.list, {})).toEqual([])
    },
  )

  test('ten times at once makes one request and sends one email', async () => {
    const buyer = await owner()
    await Promise.all(Array.from({ length: 10 }, () => buyer.ask()))
    await onlyRequestOf(buyer)
    expect(await mailsTo(buyer.user.email)).toEqual(['We’ve got your access request'])
  })

  test('notifies the seller right away, and again only for a new username', async () => {
    const buyer = await owner()
    for (const tradingViewUsername of ['ada_first', 'ADA_first', 'ada_second'])
      await buyer.ask({ tradingViewUsername })
    const told = (await shop.mails()).filter(({ headers }) => headers['reply-to']?.includes(buyer.user.email))
    expect(told.map(({ subject }) => subject).toSorted()).toEqual([
      'Access request: ada_first',
      'Access request: ada_second',
    ])
    for (const { to, text } of told) {
      expect(to).toBe('support@example.com')
      expect(text).not.toContain(form.apiKey)
    }
  })

  test('again with another username replaces the open request and restarts the 24 hours', async () => {
    const buyer = await owner()
    await buyer.ask()
    const first = await onlyRequestOf(buyer)
    shop.clock.advance({ hours: 1 })
    await buyer.ask({ tradingViewUsername: 'ada_moved' })
    const second = await onlyRequestOf(buyer)
    expect(second.tradingViewUsername).toBe('ada_moved')
    expect(second.submittedAt > first.submittedAt).toBe(true)
    expect(await mailsTo(buyer.user.email)).toHaveLength(2)
    const admin = await shop.admin()
    await expect(admin.call(contract.adminGrant, { ids: [first.id] })).rejects.toMatchObject({ status: 404 })
  })
})

describe('the seller', () => {
  test('sees open requests oldest first, page by page, without the keys', async () => {
    const admin = await shop.admin()
    const buyers = await Promise.all([owner(), owner(), owner()])
    for (const buyer of buyers) {
      shop.clock.advance({ minutes: 1 })
      await buyer.ask()
    }
    const all = await admin.call(contract.adminList, {})
    expect(all.map(({ submittedAt }) => submittedAt)).toEqual(
      all.map(({ submittedAt }) => submittedAt).toSorted(),
    )
    expect(all.slice(-3).map(({ user }) => user.id)).toEqual(buyers.map(({ user }) => user.id))
    expect(all.at(-1)).toMatchObject({
      hasKeys: true,
      purchase: { billingType: 'monthly', status: 'active' },
    })
    for (const buyer of buyers) expect(await queue('adminList', buyer.user.email)).toHaveLength(1)
    expect(JSON.stringify(all)).not.toMatch(/api-key|secret-key|sealed/)
  })

  test('grants access: the buyer sees it and gets an email, and the keys are gone', async () => {
    const [admin, buyer] = [await shop.admin(), await owner()]
    await buyer.ask()
    const { id } = await onlyRequestOf(buyer)
    expect(await admin.call(contract.adminGrant, { ids: [id] })).toEqual({ changed: 1 })
    expect(await onlyRequestOf(buyer)).toMatchObject({ status: 'granted', decidedAt: expect.any(String) })
    await shop.afterUndo()
    expect(await mailsTo(buyer.user.email)).toContain('Your TradingView access is ready')
    await expect(admin.call(contract.adminReveal, { id })).rejects.toMatchObject({
      status: 409,
      serverMessage: 'These keys have been deleted.',
    })
    await expect(buyer.ask({ tradingViewUsername: 'ADA_trades' })).rejects.toMatchObject({
      serverMessage: 'Access is already granted to ada_trades on TradingView.',
    })
  })

  test('undoes a grant within a minute: nobody was told, and the keys are still there', async () => {
    const [admin, buyer] = [await shop.admin(), await owner()]
    await buyer.ask()
    const { id } = await onlyRequestOf(buyer)
    await admin.call(contract.adminGrant, { ids: [id] })
    await shop.queue.runNow('purge-exchange-keys')
    await admin.call(contract.adminUndo, { ids: [id] })
    expect(await onlyRequestOf(buyer)).toMatchObject({ status: 'requested', decidedAt: null })
    await shop.afterUndo()
    expect(await mailsTo(buyer.user.email)).toEqual(['We’ve got your access request'])
    expect(await admin.call(contract.adminReveal, { id })).toMatchObject({ apiKey: form.apiKey })
    await admin.call(contract.adminGrant, { ids: [id] })
    await shop.afterUndo()
    await expect(admin.call(contract.adminUndo, { ids: [id] })).rejects.toMatchObject({ status: 409 })
  })

  test('refuses with a reason, and the buyer can ask again', async () => {
    const [admin, buyer] = [await shop.admin(), await owner()]
    await buyer.ask()
    const { id } = await onlyRequestOf(buyer)
    const reason = 'There is no such user on TradingView'
    await admin.call(contract.adminRefuse, { ids: [id], reason })
    expect(await onlyRequestOf(buyer)).toMatchObject({ status: 'refused', reason })
    const mails = await shop.mails()
    expect(mails.findLast(({ to }) => to === buyer.user.email)?.text).toContain(reason)
    await buyer.ask({ tradingViewUsername: 'ada_for_real' })
    expect(await onlyRequestOf(buyer)).toMatchObject({ status: 'requested', reason: null })
  })

  test('decides many at once; whoever comes second is told so, and nothing is decided twice', async () => {
    const admin = await shop.admin()
    const buyers = await Promise.all([owner(), owner(), owner()])
    for (const buyer of buyers) await buyer.ask()
    const ids = await Promise.all(buyers.map(async (buyer) => (await onlyRequestOf(buyer)).id))
    const answers = await Promise.allSettled([
      admin.call(contract.adminGrant, { ids }),
      admin.call(contract.adminRefuse, { ids: ids.toReversed(), reason: 'No' }),
    ])
    const done = answers.filter((answer) => answer.status === 'fulfilled').map(({ value }) => value.changed)
    expect(done.reduce((sum, changed) => sum + changed, 0)).toBe(3)
    await shop.afterUndo()
    for (const buyer of buyers) expect(await mailsTo(buyer.user.email)).toHaveLength(2)
    await expect(admin.call(contract.adminGrant, { ids })).rejects.toMatchObject({ status: 409 })
  })

  test('is told when a request doesn’t exist', async () => {
    const admin = await shop.admin()
    const id = crypto.randomUUID()
    const notFound = { status: 404, serverMessage: 'Access request not found' }
    await expect(admin.call(contract.adminGrant, { ids: [id] })).rejects.toMatchObject(notFound)
    await expect(admin.call(contract.adminReveal, { id })).rejects.toMatchObject(notFound)
  })

  test('can’t grant what is no longer paid for', async () => {
    const [admin, buyer] = [await shop.admin(), await owner()]
    await buyer.ask()
    const { id } = await onlyRequestOf(buyer)
    await setStatus(buyer.purchase.id, 'cancelled')
    expect(await queue('adminList', buyer.user.email)).toEqual([])
    await expect(admin.call(contract.adminGrant, { ids: [id] })).rejects.toMatchObject({ status: 409 })
  })

  describe('finds under "to revoke"', () => {
    test('access whose purchase has ended, until it’s marked as revoked', async () => {
      const buyer = await grantedBuyer()
      expect(await buyer.toRevoke()).toEqual([])
      await buyer.admin.call(purchaseCalls.adminCancel, { id: buyer.purchase.id })
      expect(await buyer.toRevoke()).toMatchObject([
        { id: buyer.requestId, purchase: { status: 'cancelled' } },
      ])
      await buyer.admin.call(contract.adminRevoke, { ids: [buyer.requestId] })
      expect(await buyer.toRevoke()).toEqual([])
      expect(await onlyRequestOf(buyer)).toMatchObject({ status: 'revoked' })
      expect(await mailsTo(buyer.user.email)).toContain('Your TradingView access has ended')
    })

    test('access whose subscription ended at Stripe', async () => {
      const [admin, buyer] = [await shop.admin(), await shop.buyer()]
      await buyer.call(contract.submitForPurchase, { ...form, purchaseId: buyer.purchase.id })
      const ids = (await buyer.call(contract.list, {})).map(({ id }) => id)
      await admin.call(contract.adminGrant, { ids })
      await admin.call(purchaseCalls.adminRefund, { id: buyer.purchase.id, refundedSoFar: 0 })
      await shop.settle()
      expect(await queue('adminToRevoke', buyer.user.email)).toMatchObject([{ id: ids[0] }])
    })

    test('access whose purchase was deleted', async () => {
      const buyer = await grantedBuyer()
      await buyer.admin.call(purchaseCalls.adminDelete, { id: buyer.purchase.id })
      expect(await buyer.toRevoke()).toMatchObject([{ id: buyer.requestId, purchase: null }])
      expect(await buyer.call(contract.list, {})).toEqual([])
    })

    test('the old username of a buyer who switched, once the new one has access', async () => {
      const buyer = await grantedBuyer()
      await buyer.ask({ tradingViewUsername: 'ada_moved' })
      expect(await buyer.toRevoke()).toEqual([])
      await buyer.admin.call(contract.adminGrant, { ids: [(await onlyRequestOf(buyer)).id] })
      await shop.afterUndo()
      expect(await buyer.toRevoke()).toMatchObject([{ tradingViewUsername: 'ada_trades' }])
    })

    test('nothing while a returning buyer uses the same username, and one entry when that ends too', async () => {
      const buyer = await grantedBuyer()
      await buyer.admin.call(purchaseCalls.adminCancel, { id: buyer.purchase.id })
      const again = await bookPurchase(shop.connection, buyer.user.id)
      await buyer.call(contract.submitForPurchase, { ...form, purchaseId: again.id })
      expect(await buyer.toRevoke()).toEqual([])
      const requests = await buyer.call(contract.list, {})
      const open = requests.filter(({ status }) => status === 'requested')
      await buyer.admin.call(contract.adminGrant, { ids: open.map(({ id }) => id) })
      await shop.afterUndo()
      expect(await buyer.toRevoke()).toEqual([])
      await buyer.admin.call(purchaseCalls.adminCancel, { id: again.id })
      expect(await buyer.toRevoke()).toMatchObject([{ purchaseId: again.id }])
    })
  })

  test('leaves a trace of every action in the audit log', async () => {
    const [admin, buyer] = [await shop.admin(), await owner()]
    await buyer.ask()
    const { id } = await onlyRequestOf(buyer)
    await admin.call(contract.adminReveal, { id })
    await admin.call(contract.adminGrant, { ids: [id] })
    await admin.call(contract.adminRevoke, { ids: [id] })
    const entries = await admin.call(audit.adminList, { q: buyer.user.email })
    expect(entries.map(({ action, actorEmail }) => [action, actorEmail])).toEqual([
      ['access.revoked', admin.user.email],
      ['access.granted', admin.user.email],
      ['access.reveal-keys', admin.user.email],
    ])
  })
})

test('the seller finds who has access, revokes it although it is paid for, and restores it', async () => {
  const [admin, buyer] = [await shop.admin(), await owner()]
  const { email } = buyer.user
  await buyer.ask({ tradingViewUsername: 'Found_Me' })
  const { id } = await onlyRequestOf(buyer)
  const listed = async (q: string, state?: 'granted' | 'revoked') =>
    (await admin.call(contract.adminGranted, { q, state })).map((request) => request.id)
  expect(await listed(email)).toEqual([])
  await admin.call(contract.adminGrant, { ids: [id] })
  await shop.afterUndo()
  expect([await listed(email), await listed('found_me')]).toEqual([[id], [id]])

  await admin.call(contract.adminRevoke, { ids: [id] })
  expect([await listed(email), await listed(email, 'revoked')]).toEqual([[], [id]])
  await admin.call(contract.adminRestore, { ids: [id] })
  await shop.afterUndo()
  expect([await listed(email), await listed(email, 'revoked')]).toEqual([[id], []])
  expect(await mailsTo(email)).toEqual([
    'We’ve got your access request',
    'Your TradingView access is ready',
    'Your TradingView access has ended',
    'Your TradingView access is ready',
  ])

  await admin.call(contract.adminRevoke, { ids: [id] })
  await setStatus(buyer.purchase.id, 'cancelled')
  expect(await listed(email, 'revoked')).toEqual([])
  await expect(admin.call(contract.adminRestore, { ids: [id] })).rejects.toMatchObject({ status: 409 })
})

test('only the username of a deleted person is kept, and only until their access is revoked', async () => {
  const [admin, buyer] = [await shop.admin(), await owner()]
  await buyer.ask()
  const { id } = await onlyRequestOf(buyer)
  await admin.call(contract.adminGrant, { ids: [id] })
  await admin.call(accounts.adminDelete, { id: buyer.user.id })
  const waiting = await admin.call(contract.adminToRevoke, {})
  expect(waiting.find((request) => request.id === id)).toMatchObject({
    tradingViewUsername: 'ada_trades',
    exchangeName: '',
    user: { name: 'Deleted user' },
  })
  await admin.call(contract.adminRevoke, { ids: [id] })
  const [row] = await shop.connection.db.select().from(accessRequests).where(eq(accessRequests.id, id))
  expect(row).toMatchObject({ status: 'revoked', tradingViewUsername: '' })
  expect(await mailsTo(buyer.user.email)).not.toContain('Your TradingView access has ended')
})

test('where the shop asks for the username alone, a request needs nothing else', async () => {
  await expect((await owner()).ask({ apiKey: '' })).rejects.toMatchObject({
    status: 400,
    serverMessage: 'API key is required',
  })
  await using plain = await openShop({ env: { ASK_EXCHANGE_KEYS: 'no' } })
  const buyer = await plain.buyer()
  const request = { purchaseId: buyer.purchase.id, tradingViewUsername: 'ada_trades' }
  await expect(
    shop.user().then(({ call }) => call(contract.submitForPurchase, request)),
  ).rejects.toMatchObject({
    status: 400,
  })
  await buyer.call(contract.submitForPurchase, request)
  expect(await (await plain.admin()).call(contract.adminList, {})).toMatchObject([
    { tradingViewUsername: 'ada_trades', exchangeName: '', hasKeys: false },
  ])
})
