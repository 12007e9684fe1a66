import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { access as buyers } from '#contract/access/access.ts'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { audit } from '#contract/admin/activity.ts'
import { overview } from '#contract/admin/overview.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import type { TodoKind } from '#contract/statuses.ts'
import { access } from '#server/database/schema.ts'
import { bookPurchase } from '#server/testing/book-purchase.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

const form = { exchangeName: 'Binance', apiKey: 'api-key-of-ada', secretKey: 'secret-key-of-ada' }
let count = 0
const newUsername = () => `ada_${(count += 1)}`

async function createOwner(values?: Parameters<typeof bookPurchase>[2]) {
  const buyer = await shop.user()
  const purchase = await bookPurchase(shop.connection, buyer.user.id, values)
  const name = newUsername()
  const ask = (changes: object = {}) =>
    buyer.call(buyers.submitForPurchase, { ...form, tradingViewUsername: name, purchaseId: purchase.id, ...changes })
  const mine = async () => (await buyer.call(buyers.mine, {}))[0]
  return { ...buyer, purchase, name, ask, mine }
}
type Owner = Awaited<ReturnType<typeof createOwner>>

async function accessOf({ user }: Pick<Owner, 'user'>) {
  const [row] = await shop.connection.db.select().from(access).where(eq(access.userId, user.id))
  if (!row) throw new Error('This person has no access')
  return row
}

async function mailsTo(email: string) {
  const mails = await shop.mails()
  return mails.filter(({ to, subject }) => to === email && /access/.test(subject)).map(({ subject }) => subject)
}

/** Only one buyer's tasks, because other tests leave tasks behind. */
async function todoOf(buyer: Pick<Owner, 'user'>, kind?: TodoKind) {
  const admin = await shop.admin()
  const found = []
  let cursor: string | undefined
  do {
    const page = await admin.callPage(accessAdmin.todo, { limit: 200, cursor, kind })
    found.push(...page.items)
    cursor = page.next
  } while (cursor)
  return found.filter(({ user }) => user.id === buyer.user.id)
}

async function createUnlockedBuyer() {
  const [admin, buyer] = [await shop.admin(), await createOwner()]
  await buyer.ask()
  const { id } = await accessOf(buyer)
  await admin.call(accessAdmin.grant, { ids: [id] })
  await shop.endUndoMinute()
  return { ...buyer, admin: await shop.admin(), id }
}

const receivedSubject = 'We’ve got your access request'
const readySubject = 'Your TradingView access is ready'

describe('a buyer who asks', () => {
  test('with the payment, as on the success page, is promised access within 24 hours', async () => {
    const buyer = await createOwner({ paymentIntentId: 'pi_of_ada' })
    const { name: tradingViewUsername } = buyer
    await buyer.call(buyers.submit, { ...form, tradingViewUsername, paymentIntentId: 'pi_of_ada' })
    const mine = await buyer.mine()
    expect(mine).toMatchObject({ state: 'asked', username: buyer.name, unlocksItself: false, problem: null })
    const { askedAt } = await accessOf(buyer)
    expect(new Date(mine?.promisedBy ?? 0).getTime()).toBe((askedAt?.getTime() ?? 0) + 24 * 3_600_000)
    expect(await mailsTo(buyer.user.email)).toEqual([receivedSubject])
    expect(await buyer.call(accounts.profile, {})).toMatchObject({ tradingViewUsername })
  })

  test('gets a message at each field that is missing', async () => {
    const buyer = await createOwner()
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

  test('for somebody else’s purchase gets “not found”', async () => {
    const buyer = await createOwner({ paymentIntentId: 'pi_of_somebody' })
    const stranger = await shop.user()
    const request = { ...form, tradingViewUsername: 'eve' }
    const notFound = { status: 404, serverMessage: 'Purchase not found' }
    for (const paymentIntentId of ['pi_of_somebody', 'pi_of_nobody'])
      await expect(stranger.call(buyers.submit, { ...request, paymentIntentId })).rejects.toMatchObject(notFound)
    expect(await buyer.mine()).toMatchObject({ state: 'none' })
  })

  test.for(['cancelled', 'expired'] as const)('for a purchase that is %s is refused', async (status) => {
    const buyer = await createOwner({ status })
    await expect(buyer.ask()).rejects.toMatchObject({ status: 409, code: 'subscription-ended' })
  })

  test('ten times at once is one request: one email to the buyer, one entry for the seller', async () => {
    const buyer = await createOwner()
    await Promise.all(Array.from({ length: 10 }, () => buyer.ask()))
    expect(await mailsTo(buyer.user.email)).toEqual([receivedSubject])
    expect(await todoOf(buyer)).toHaveLength(1)
  })

  test('gets one email per username, and a new username restarts the 24 hours', async () => {
    const buyer = await createOwner()
    const [firstName, secondName] = [newUsername(), newUsername()]
    for (const tradingViewUsername of [firstName, firstName.toUpperCase()]) await buyer.ask({ tradingViewUsername })
    const { promisedBy = '' } = (await buyer.mine()) ?? {}
    shop.clock.advance({ hours: 1 })
    await buyer.ask({ tradingViewUsername: secondName })
    expect(Date.parse((await buyer.mine())?.promisedBy ?? '')).toBeGreaterThan(Date.parse(promisedBy ?? ''))
    const sellerMails = (await shop.mails()).filter(({ headers }) => headers['reply-to']?.includes(buyer.user.email))
    expect(sellerMails.map(({ subject }) => subject)).toEqual([
      `Access request: ${firstName}`,
      `Access request: ${secondName}`,
    ])
    for (const { text } of sellerMails) expect(text).not.toContain(form.apiKey)
    expect(await mailsTo(buyer.user.email)).toEqual([receivedSubject, receivedSubject])
  })

  test('with the username entered at the checkout gets no second email, and the keys reach the seller', async () => {
    const buyer = await shop.user()
    const username = newUsername()
    const purchase = await shop.buy(buyer, { tradingViewUsername: username })
    expect(await mailsTo(buyer.user.email)).toContain(receivedSubject)
    await buyer.call(buyers.submitForPurchase, { ...form, tradingViewUsername: username, purchaseId: purchase.id })
    expect((await mailsTo(buyer.user.email)).filter((subject) => subject === receivedSubject)).toHaveLength(1)
    expect(await todoOf(buyer, 'unlock')).toMatchObject([{ username, hasKeys: true, exchangeName: 'Binance' }])
  })

  test('for the username that is unlocked already changes nothing', async () => {
    const buyer = await createUnlockedBuyer()
    await buyer.ask({ tradingViewUsername: buyer.name.toUpperCase() })
    expect(await buyer.mine()).toMatchObject({ state: 'unlocked', username: buyer.name })
    expect(await todoOf(buyer)).toEqual([])
    expect(await mailsTo(buyer.user.email)).toEqual([receivedSubject, readySubject])
  })

  test('by a new username in the profile moves access; saving the same username changes nothing', async () => {
    const buyer = await createUnlockedBuyer()
    const username = newUsername()
    await buyer.call(accounts.updateProfile, { name: 'Ada', tradingViewUsername: buyer.name })
    expect(await todoOf(buyer)).toEqual([])
    await buyer.call(accounts.updateProfile, { tradingViewUsername: username })
    expect(await buyer.mine()).toMatchObject({ state: 'asked', username, oldUsername: buyer.name })
    expect(await todoOf(buyer)).toMatchObject([{ kind: 'move', username, oldUsername: buyer.name }])
    await expect(buyer.call(accounts.updateProfile, { tradingViewUsername: '' })).rejects.toMatchObject({ status: 400 })
  })

  test('for another username within a week is refused, but may return to the unlocked one', async () => {
    const buyer = await createUnlockedBuyer()
    const move = (username: string) => buyer.call(buyers.changeUsername, { purchaseId: buyer.purchase.id, username })
    const results = await Promise.allSettled([move(newUsername()), move(newUsername())])
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await expect(move(newUsername())).rejects.toMatchObject({ status: 409, code: 'too-soon' })
    await move(buyer.name)
    expect(await buyer.mine()).toMatchObject({ state: 'unlocked', username: buyer.name, oldUsername: null })
  })

  test('many times at once is answered each time, also when the proof of identity is checked again', async () => {
    const buyer = await createUnlockedBuyer()
    shop.clock.advance({ minutes: 1 })
    // Twice as many as the shop's connections to the database.
    const moves = Array.from({ length: 20 }, () =>
      buyer.call(buyers.changeUsername, { purchaseId: buyer.purchase.id, username: newUsername() }),
    )
    const outcomes = await Promise.allSettled(moves)
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : []))
    expect(refusals).toEqual(Array.from({ length: 19 }, () => 'too-soon'))
  })

  test('needs only the username if the shop asks for no exchange keys', async () => {
    await expect((await createOwner()).ask({ apiKey: '' })).rejects.toMatchObject({
      serverMessage: 'API key is required',
    })
    await using plain = await openShop({ env: { ASK_EXCHANGE_KEYS: 'no' } })
    const buyer = await plain.buyer()
    const request = { purchaseId: buyer.purchase.id, tradingViewUsername: 'ada_trades' }
    await buyer.call(buyers.submitForPurchase, request)
    expect(await (await plain.admin()).call(accessAdmin.todo, {})).toMatchObject([
      { username: 'ada_trades', exchangeName: null, hasKeys: false, kind: 'unlock' },
    ])
  })
})

describe('the seller', () => {
  test('sees the buyer who has waited longest first, and no exchange keys', async () => {
    const admin = await shop.admin()
    const waiting = await Promise.all([createOwner(), createOwner(), createOwner()])
    for (const buyer of waiting) {
      shop.clock.advance({ minutes: 1 })
      await buyer.ask()
    }
    const all = await admin.call(accessAdmin.todo, { kind: 'unlock', limit: 100 })
    const dues = all.map(({ due }) => due ?? '')
    expect(dues).toEqual(dues.toSorted())
    expect(all.slice(-3).map(({ user }) => user.id)).toEqual(waiting.map(({ user }) => user.id))
    for (const buyer of waiting) expect(await todoOf(buyer)).toHaveLength(1)
    expect(JSON.stringify(all)).not.toMatch(/api-key|secret-key|sealed/)
    const counts = await admin.call(accessAdmin.counts, {})
    expect(counts).toMatchObject({ todo: { unlock: all.length }, addingNow: 0 })
  })

  test('pages through the list without gaps or repeats while it changes, and can search and filter it', async () => {
    const overdueBuyers = await Promise.all(Array.from({ length: 7 }, () => createOwner()))
    // All ask at the same time, so that the list is ordered by id.
    await Promise.all(overdueBuyers.map((buyer) => buyer.ask()))
    shop.clock.advance({ hours: 25 })
    const seller = await shop.admin()
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await seller.callPage(accessAdmin.todo, { limit: 5, cursor, overdue: 'yes' })
      seen.push(...page.items.map(({ id }) => id))
      cursor = page.next
      // Between two pages, one person is unlocked and another one asks.
      await seller.call(accessAdmin.grant, { ids: page.items.slice(0, 1).map(({ id }) => id) })
      await (await createOwner()).ask()
    } while (cursor)
    expect(new Set(seen).size).toBe(seen.length)
    const ids = await Promise.all(overdueBuyers.map(async (buyer) => (await accessOf(buyer)).id))
    expect(seen).toEqual(expect.arrayContaining(ids))
    const needs = await seller.call(overview.adminNeeds, {})
    const overdue = needs.find(({ kind }) => kind === 'overdue_requests')
    expect(await seller.call(accessAdmin.todo, { overdue: 'yes', limit: 200 })).toHaveLength(overdue?.count ?? 0)
    const joined = await createOwner()
    await joined.ask()
    const found = await seller.call(accessAdmin.todo, { q: joined.name.toUpperCase() })
    expect(found.map(({ user }) => user.id)).toContain(joined.user.id)
    expect(await seller.call(accessAdmin.todo, { q: joined.user.email, overdue: 'yes' })).toEqual([])
  })

  test('unlocks: a minute later the buyer gets an email, and the keys are gone', async () => {
    const [admin, buyer] = [await shop.admin(), await createOwner()]
    await buyer.ask()
    const { id } = await accessOf(buyer)
    expect(await admin.call(accessAdmin.grant, { ids: [id] })).toEqual({ changed: 1 })
    expect(await buyer.mine()).toMatchObject({ state: 'unlocked' })
    expect(await mailsTo(buyer.user.email)).toEqual([receivedSubject])
    await shop.endUndoMinute()
    expect(await mailsTo(buyer.user.email)).toEqual([receivedSubject, readySubject])
    const laterAdmin = await shop.admin()
    await expect(laterAdmin.call(accessAdmin.reveal, { id })).rejects.toMatchObject({ code: 'keys-deleted' })
    await expect(laterAdmin.call(accessAdmin.undo, { ids: [id] })).rejects.toMatchObject({ code: 'too-late' })
  })

  test('undoes an unlock within a minute: the buyer got no email, and the keys are kept', async () => {
    const [admin, buyer] = [await shop.admin(), await createOwner()]
    await buyer.ask()
    const { id } = await accessOf(buyer)
    await admin.call(accessAdmin.grant, { ids: [id] })
    expect(await admin.call(accessAdmin.people, { q: buyer.user.email })).toMatchObject([{ mayUndo: true }])
    await shop.queue.runNow('purge-exchange-keys')
    await admin.call(accessAdmin.undo, { ids: [id] })
    expect(await accessOf(buyer)).toMatchObject({ state: 'asked', unlockedName: null, undoUntil: null })
    await shop.endUndoMinute()
    expect(await mailsTo(buyer.user.email)).toEqual([receivedSubject])
    const laterAdmin = await shop.admin()
    expect(await laterAdmin.call(accessAdmin.reveal, { id })).toMatchObject({ apiKey: form.apiKey })
  })

  test('declines with a reason; a buyer who asks again waits for a decision', async () => {
    const [admin, buyer] = [await shop.admin(), await createOwner()]
    await buyer.ask()
    const { id } = await accessOf(buyer)
    const reason = 'There is no such user on TradingView'
    await admin.call(accessAdmin.decline, { ids: [id], reason, subscription: 'keep' })
    expect(await buyer.mine()).toMatchObject({ state: 'declined', declinedBecause: reason })
    const mails = await shop.mails()
    expect(mails.findLast(({ to }) => to === buyer.user.email)?.text).toContain(reason)
    await buyer.ask()
    expect(await buyer.mine()).toMatchObject({ state: 'asked', declinedBecause: null })
    expect(await todoOf(buyer)).toMatchObject([{ kind: 'decide' }])
    await admin.call(accessAdmin.grant, { ids: [id] })
    expect(await buyer.mine()).toMatchObject({ state: 'unlocked' })
  })

  test('declines a move: the account that has access keeps it', async () => {
    const buyer = await createUnlockedBuyer()
    await buyer.ask({ tradingViewUsername: newUsername() })
    await buyer.admin.call(accessAdmin.decline, { ids: [buyer.id], reason: 'Not yours', subscription: 'keep' })
    expect(await buyer.mine()).toMatchObject({ state: 'unlocked', username: buyer.name, oldUsername: null })
    expect((await mailsTo(buyer.user.email)).at(-1)).toBe('Your TradingView access stays where it is')
  })

  test('decides about many at once; a second decision at the same time changes nothing', async () => {
    const admin = await shop.admin()
    const waiting = await Promise.all([createOwner(), createOwner(), createOwner()])
    for (const buyer of waiting) await buyer.ask()
    const ids = await Promise.all(waiting.map(async (buyer) => (await accessOf(buyer)).id))
    const answers = await Promise.allSettled([
      admin.call(accessAdmin.grant, { ids }),
      admin.call(accessAdmin.decline, { ids: ids.toReversed(), reason: 'No', subscription: 'keep' }),
    ])
    const changedCounts = answers.filter((answer) => answer.status === 'fulfilled').map(({ value }) => value.changed)
    expect(changedCounts.reduce((sum, changed) => sum + changed, 0)).toBe(3)
    await shop.endUndoMinute()
    for (const buyer of waiting) expect(await mailsTo(buyer.user.email)).toHaveLength(2)
    const secondGrant = (await shop.admin()).call(accessAdmin.grant, { ids })
    await expect(secondGrant).rejects.toMatchObject({ code: 'already-handled' })
    const nobody = crypto.randomUUID()
    await expect(admin.call(accessAdmin.grant, { ids: [nobody] })).rejects.toMatchObject({ status: 404 })
    await expect(admin.call(accessAdmin.reveal, { id: nobody })).rejects.toMatchObject({ status: 404 })
  })

  test('has nothing to unlock once the subscription has ended', async () => {
    const [admin, buyer] = [await shop.admin(), await createOwner()]
    await buyer.ask()
    const { id } = await accessOf(buyer)
    await admin.call(purchasesAdmin.cancel, { id: buyer.purchase.id })
    expect(await todoOf(buyer)).toEqual([])
    await expect(admin.call(accessAdmin.grant, { ids: [id] })).rejects.toMatchObject({ status: 409 })
    expect(await accessOf(buyer)).toMatchObject({ state: 'none', reason: null })
  })

  test.for(['cancel', 'delete'] as const)('removes access after %s, and the buyer gets an email', async (end) => {
    const buyer = await createUnlockedBuyer()
    await buyer.admin.call(purchasesAdmin[end], { id: buyer.purchase.id })
    expect(await todoOf(buyer)).toMatchObject([{ kind: 'lock', username: buyer.name }])
    expect((await buyer.admin.call(accessAdmin.counts, {})).todo.lock).toBeGreaterThan(0)
    await buyer.admin.call(accessAdmin.lock, { ids: [buyer.id] })
    expect(await todoOf(buyer)).toEqual([])
    expect(await accessOf(buyer)).toMatchObject({ state: 'locked', unlockedName: null })
    expect((await mailsTo(buyer.user.email)).at(-1)).toBe('Your TradingView access has ended')
  })

  test('has nothing to remove from a buyer who has come back', async () => {
    const buyer = await createUnlockedBuyer()
    await buyer.admin.call(purchasesAdmin.cancel, { id: buyer.purchase.id })
    const newPurchase = await bookPurchase(shop.connection, buyer.user.id)
    await buyer.ask({ purchaseId: newPurchase.id })
    expect(await todoOf(buyer)).toEqual([])
    expect(await buyer.mine()).toMatchObject({ state: 'unlocked' })
  })

  test('moves a buyer to another account', async () => {
    const buyer = await createUnlockedBuyer()
    const username = newUsername()
    await buyer.ask({ tradingViewUsername: username })
    await buyer.admin.call(accessAdmin.grant, { ids: [buyer.id] })
    expect(await accessOf(buyer)).toMatchObject({ state: 'unlocked', unlockedName: username })
    await buyer.admin.call(accessAdmin.undo, { ids: [buyer.id] })
    expect(await accessOf(buyer)).toMatchObject({ state: 'asked', unlockedName: buyer.name })
  })

  test('gives a customer another username, without the limits and without an email', async () => {
    const buyer = await createUnlockedBuyer()
    const username = newUsername()
    await buyer.admin.call(accessAdmin.rename, { id: buyer.id, username })
    expect(await todoOf(buyer)).toMatchObject([{ kind: 'move', username }])
    expect(await mailsTo(buyer.user.email)).toEqual([receivedSubject, readySubject])
  })

  test('gets a task if another customer has the username', async () => {
    const [holder, newcomer] = [await createUnlockedBuyer(), await createOwner()]
    await newcomer.ask({ tradingViewUsername: holder.name })
    expect(await todoOf(newcomer)).toMatchObject([{ kind: 'name_taken', username: holder.name }])
    await holder.admin.call(purchasesAdmin.cancel, { id: holder.purchase.id })
    await newcomer.ask({ tradingViewUsername: holder.name })
    expect(await todoOf(newcomer)).toMatchObject([{ kind: 'unlock' }])
    expect(await accessOf(holder)).toMatchObject({ state: 'locked', nameKey: null })
    const [newest] = await holder.admin.call(accessAdmin.history, { id: holder.id })
    expect(newest).toMatchObject({ what: 'Access locked', outcome: 'locked', detail: holder.name })
  })

  test('finds every action in the audit log and in the person’s history', async () => {
    const [admin, buyer] = [await shop.admin(), await createOwner()]
    await buyer.ask()
    const { id } = await accessOf(buyer)
    await admin.call(accessAdmin.reveal, { id })
    await admin.call(accessAdmin.grant, { ids: [id] })
    await admin.call(accessAdmin.withhold, { ids: [id] })
    const entries = await admin.call(audit.adminList, { q: buyer.user.email })
    expect(entries.map(({ action, actorEmail }) => [action, actorEmail])).toEqual([
      ['access.withheld', admin.user.email],
      ['access.granted', admin.user.email],
      ['access.reveal-keys', admin.user.email],
    ])
    const history = await admin.call(accessAdmin.history, { id })
    expect(history.map(({ what }) => what)).toEqual([
      'Removed by the seller',
      'Unlocked by hand',
      'Asked for access',
      'Subscription paid',
    ])
  })
})

describe('a paying buyer whose access is withheld', () => {
  async function withholdFromBuyer() {
    const buyer = await createUnlockedBuyer()
    await buyer.admin.call(accessAdmin.withhold, { ids: [buyer.id] })
    return buyer
  }

  test('gets an email that says removed, not ended', async () => {
    const buyer = await withholdFromBuyer()
    expect(await buyer.mine()).toMatchObject({ state: 'withheld', reason: 'renews' })
    const mail = (await shop.mails()).findLast(({ to }) => to === buyer.user.email)
    expect(mail?.subject).toBe('We’ve removed your TradingView access')
    expect(mail?.text).not.toMatch(/ended/)
  })

  test('is found, and gets it back', async () => {
    const { admin, id, user, mine } = await withholdFromBuyer()
    const listed = async (state: 'unlocked' | 'withheld') =>
      (await admin.call(accessAdmin.people, { q: user.email, state })).map((person) => person.id)
    expect([await listed('unlocked'), await listed('withheld')]).toEqual([[], [id]])
    await admin.call(accessAdmin.restore, { ids: [id] })
    expect(await mine()).toMatchObject({ state: 'unlocked' })
    await shop.endUndoMinute()
    expect((await mailsTo(user.email)).at(-1)).toBe(readySubject)
  })

  test('still waits for a decision after an unlock is undone', async () => {
    const buyer = await withholdFromBuyer()
    await buyer.ask()
    await buyer.admin.call(accessAdmin.grant, { ids: [buyer.id] })
    await buyer.admin.call(accessAdmin.undo, { ids: [buyer.id] })
    expect(await todoOf(buyer)).toMatchObject([{ kind: 'decide' }])
    await buyer.admin.call(accessAdmin.decline, { ids: [buyer.id], reason: 'No', subscription: 'keep' })
    expect(await accessOf(buyer)).toMatchObject({ state: 'declined', unlockedName: null })
  })

  test('starts anew with a purchase after everything has ended', async () => {
    const buyer = await withholdFromBuyer()
    await buyer.admin.call(purchasesAdmin.cancel, { id: buyer.purchase.id })
    await expect(buyer.admin.call(accessAdmin.restore, { ids: [buyer.id] })).rejects.toMatchObject({ status: 409 })
    const newPurchase = await bookPurchase(shop.connection, buyer.user.id)
    await buyer.ask({ purchaseId: newPurchase.id })
    expect(await todoOf(buyer)).toMatchObject([{ kind: 'unlock' }])
  })
})

test('a deleted person’s unlocked TradingView username is kept only until it is locked', async () => {
  const buyer = await createUnlockedBuyer()
  const { version } = await accessOf(buyer)
  await buyer.admin.call(accountsAdmin.delete, { id: buyer.user.id })
  // A higher version makes a connector that is working on this person plan again.
  expect((await accessOf(buyer)).version).toBeGreaterThan(version)
  expect(await todoOf(buyer)).toMatchObject([
    { kind: 'lock', username: buyer.name, user: { name: 'Deleted user' }, exchangeName: null },
  ])
  await buyer.admin.call(accessAdmin.lock, { ids: [buyer.id] })
  await expect(accessOf(buyer)).rejects.toThrow('no access')
  expect(await mailsTo(buyer.user.email)).not.toContain('Your TradingView access has ended')
  const { rows } = await shop.connection.pool.query('select 1 from access_events where username = $1', [buyer.name])
  expect(rows).toEqual([])
})

test('“my data” contains the access, its history and the requests', async () => {
  const buyer = await createUnlockedBuyer()
  expect(await buyer.call(accounts.myData, {})).toMatchObject({
    access: [{ state: 'unlocked', unlockedFor: buyer.name }],
    accessHistory: [
      { event: 'paid' },
      { event: 'asked', username: buyer.name },
      { event: 'granted' },
      { event: 'opened', email: 'accessUnlocked' },
    ],
    accessRequests: [{ exchangeName: 'Binance', tradingViewUsername: buyer.name }],
  })
})
