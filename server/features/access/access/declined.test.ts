import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { access as buyers } from '#contract/access/access.ts'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { overview } from '#contract/admin/overview.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { access, purchases as purchaseRows } from '#server/database/schema.ts'
import { atStripe } from '#server/testing/at-stripe.ts'
import { bookPurchase } from '#server/testing/book-purchase.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

let count = 0
const newUsername = () => `declined_${(count += 1)}`
const reason = 'Not for you'

/** Someone who paid by card and asked for access. */
async function createPayer(ofShop = shop) {
  const buyer = await ofShop.buyer()
  const ask = (purchaseId = buyer.purchase.id) =>
    buyer.call(buyers.submitForPurchase, {
      exchangeName: 'Binance',
      apiKey: 'api-key',
      secretKey: 'secret-key',
      tradingViewUsername: newUsername(),
      purchaseId,
    })
  await ask()
  const [row] = await ofShop.connection.db.select().from(access).where(eq(access.userId, buyer.user.id))
  const mine = async () => (await buyer.call(buyers.mine, {}))[0]
  /** Newest first. */
  const bought = async () => {
    await ofShop.settle()
    return buyer.call(purchases.list, {})
  }
  return { ...buyer, id: row?.id ?? '', ask, mine, bought }
}
type Payer = Awaited<ReturnType<typeof createPayer>>

async function createUnlockedPayer() {
  const payer = await createPayer()
  await (await shop.admin()).call(accessAdmin.grant, { ids: [payer.id] })
  await shop.endUndoMinute()
  return payer
}

async function decline(payers: Payer[], subscription: 'keep' | 'end', by?: Pick<Payer, 'call'>) {
  const staff = by ?? (await shop.admin())
  const result = await staff.call(accessAdmin.decline, { ids: payers.map(({ id }) => id), reason, subscription })
  await shop.settle()
  return result
}

const isInInbox = async ({ id }: Payer) => {
  const listed = await (await shop.admin()).call(accessAdmin.people, { endRequested: 'yes', limit: 100 })
  return listed.some((person) => person.id === id)
}

const unchanged = { status: 'active', refundedAmount: 0 }
const endedAndRefunded = { status: 'cancelled', refundedAmount: 3900 }

describe('declining with the subscription', () => {
  test('by an admin refunds and ends it', async () => {
    const payer = await createPayer()
    expect(await decline([payer], 'end')).toEqual({ changed: 1, problems: [] })
    expect(await payer.bought()).toMatchObject([endedAndRefunded])
    expect(await isInInbox(payer)).toBe(false)
  })

  test('as support may decline but not refund; an admin then ends or keeps the subscription', async () => {
    const [support, endedBuyer, keptBuyer] = [await shop.staff('support'), await createPayer(), await createPayer()]
    const admin = await shop.admin()
    const countRequests = async () =>
      (await admin.call(overview.adminNeeds, {})).find(({ kind }) => kind === 'declined_to_end')?.count ?? 0
    const countBefore = await countRequests()
    await decline([endedBuyer, keptBuyer], 'end', support)
    expect(await endedBuyer.bought()).toMatchObject([unchanged])
    expect(await countRequests()).toBe(countBefore + 2)
    expect([await isInInbox(endedBuyer), await isInInbox(keptBuyer)]).toEqual([true, true])
    const settle = { id: endedBuyer.id, decision: 'end' } as const
    await expect(support.call(accessAdmin.settleDeclined, settle)).rejects.toMatchObject({ status: 403 })
    expect(await admin.call(accessAdmin.settleDeclined, settle)).toEqual({ problem: null })
    await admin.call(accessAdmin.settleDeclined, { id: keptBuyer.id, decision: 'keep' })
    expect(await endedBuyer.bought()).toMatchObject([endedAndRefunded])
    expect(await keptBuyer.bought()).toMatchObject([unchanged])
    expect(await countRequests()).toBe(countBefore)
    for (const decision of ['end', 'keep'] as const)
      for (const { id } of [endedBuyer, keptBuyer])
        await expect(admin.call(accessAdmin.settleDeclined, { id, decision })).rejects.toMatchObject({
          status: 409,
          code: 'already-handled',
        })
  })

  test('is settled by nobody once the buyer has asked again', async () => {
    const payer = await createPayer()
    await decline([payer], 'end', await shop.staff('support'))
    await payer.ask()
    expect(await isInInbox(payer)).toBe(false)
    const settled = (await shop.admin()).call(accessAdmin.settleDeclined, { id: payer.id, decision: 'end' })
    await expect(settled).rejects.toMatchObject({ status: 409, code: 'already-handled' })
    expect(await payer.bought()).toMatchObject([unchanged])
  })

  test('ends it also if the buyer only asked for another username', async () => {
    const payer = await createUnlockedPayer()
    const { username: oldUsername } = (await payer.mine()) ?? {}
    await payer.ask()
    const declined = await decline([payer], 'end')
    expect(await payer.bought()).toMatchObject([endedAndRefunded])
    expect(declined).toEqual({ changed: 1, problems: [] })
    const toLock = await (await shop.admin()).call(accessAdmin.todo, { kind: 'lock', limit: 100 })
    expect(toLock.find(({ id }) => id === payer.id)).toMatchObject({ username: oldUsername })
    const subjects = (await shop.mails()).filter(({ to }) => to === payer.user.email).map(({ subject }) => subject)
    expect(subjects).toContain('We couldn’t unlock your TradingView access yet')
    expect(subjects).not.toContain('Your TradingView access stays where it is')
  })

  test('as support asks an admin also if the buyer only asked for another username', async () => {
    const payer = await createUnlockedPayer()
    await payer.ask()
    await decline([payer], 'end', await shop.staff('support'))
    expect(await payer.mine()).toMatchObject({ state: 'unlocked' })
    expect(await isInInbox(payer)).toBe(true)
    await (await shop.admin()).call(accessAdmin.settleDeclined, { id: payer.id, decision: 'end' })
    expect(await payer.bought()).toMatchObject([endedAndRefunded])
  })
})

describe('declining but keeping the subscription refunds nothing', () => {
  test('after support had asked to end it and the buyer was unlocked since', async () => {
    const payer = await createPayer()
    await decline([payer], 'end', await shop.staff('support'))
    await payer.ask()
    await (await shop.admin()).call(accessAdmin.grant, { ids: [payer.id] })
    await shop.endUndoMinute()
    await payer.ask()
    await decline([payer], 'keep')
    expect(await payer.mine()).toMatchObject({ state: 'unlocked', oldUsername: null })
    expect(await payer.bought()).toMatchObject([unchanged])
  })

  test('after an earlier subscription was refunded and ended', async () => {
    const payer = await createPayer()
    await decline([payer], 'end')
    const { id } = await shop.buy(payer)
    await payer.ask(id)
    await (await shop.admin()).call(accessAdmin.grant, { ids: [payer.id] })
    await shop.endUndoMinute()
    await payer.ask(id)
    await decline([payer], 'keep')
    const bought = await payer.bought()
    expect(bought.find((purchase) => purchase.id === id)).toMatchObject(unchanged)
  })

  test('to a buyer in an outdated selection, whom support has declined meanwhile', async () => {
    const [declinedBySupport, waiting] = [await createPayer(), await createPayer()]
    await decline([declinedBySupport], 'end', await shop.staff('support'))
    expect(await decline([declinedBySupport, waiting], 'keep')).toMatchObject({ changed: 1 })
    expect(await declinedBySupport.bought()).toMatchObject([unchanged])
    expect(await isInInbox(declinedBySupport)).toBe(true)
    expect(await waiting.bought()).toMatchObject([unchanged])
  })
})

describe('a subscription that is declined with a refund ends', () => {
  test('also if its payment was refunded before', async () => {
    const [admin, payer] = [await shop.admin(), await createPayer()]
    const refund = { id: payer.purchase.id, refundedSoFar: 0, keepAccess: true }
    await admin.call(purchasesAdmin.refund, refund)
    await shop.settle()
    expect(await decline([payer], 'end')).toEqual({ changed: 1, problems: [] })
    expect(await payer.bought()).toMatchObject([endedAndRefunded])
  })

  test('without a refund of a disputed payment, and the admin reads why', async () => {
    const [direct, bySupport] = [await createPayer(), await createPayer()]
    const disputed = { status: 'cancelled', refundedAmount: 0 }
    const sentence = 'The subscription has ended. The buyer’s bank decides about $39.00.'
    for (const { purchase } of [direct, bySupport])
      await shop.sandbox.controls.openDispute(purchase.paymentIntentId ?? '')
    await shop.settle()
    expect(await decline([direct], 'end')).toEqual({ changed: 1, problems: [`${direct.user.email}: ${sentence}`] })
    expect(await direct.bought()).toMatchObject([disputed])

    await decline([bySupport], 'end', await shop.staff('support'))
    const settled = (await shop.admin()).call(accessAdmin.settleDeclined, { id: bySupport.id, decision: 'end' })
    expect(await settled).toEqual({ problem: sentence })
    expect(await bySupport.bought()).toMatchObject([disputed])
    expect(await isInInbox(bySupport)).toBe(false)
  })

  test('without a refund of an earlier payment if the latest was made outside Stripe', async () => {
    await using isolatedShop = await openShop()
    const payer = await createPayer(isolatedShop)
    await isolatedShop.sandbox.controls.behave({ draftSeconds: 3600 })
    await isolatedShop.changeCard(payer, payer.purchase.id, 'pm_card_chargeCustomerFail')
    await isolatedShop.advance(1, 'month')
    await isolatedShop.advance(2, 'hour')
    await payer.call(accounts.login, { email: payer.user.email, password: payer.password })
    const [row] = await isolatedShop.connection.db.select().from(purchaseRows)
    const [renewal] = await atStripe(isolatedShop).invoicesOf(row?.stripeSubscriptionId)
    await isolatedShop.sandbox.controls.dashboard.payOutOfBand(renewal?.id ?? '')
    await isolatedShop.settle()
    expect(await payer.bought()).toMatchObject([unchanged])

    const admin = await isolatedShop.admin()
    const declined = await admin.call(accessAdmin.decline, { ids: [payer.id], reason, subscription: 'end' })
    expect(await payer.bought()).toMatchObject([{ status: 'cancelled', refundedAmount: 0 }])
    expect(declined.problems).toEqual([
      `${payer.user.email}: The subscription has ended. Paid elsewhere and not refunded: $39.00.`,
    ])
  })

  test('together with one that was booked by hand', async () => {
    const payer = await createPayer()
    await bookPurchase(shop.connection, payer.user.id, { bookedAs: 'paid_elsewhere' })
    const { problems } = await decline([payer], 'end')
    const bought = await payer.bought()
    expect(bought.map(({ status }) => status)).toEqual(['cancelled', 'cancelled'])
    expect(bought.map(({ refundedAmount }) => refundedAmount).toSorted((a, b) => a - b)).toEqual([0, 3900])
    expect(problems).toEqual([
      `${payer.user.email}: The subscription has ended. One purchase was booked by hand, so nothing was refunded for it.`,
    ])
    expect(await isInInbox(payer)).toBe(false)
  })

  test('although Stripe does not know it', async () => {
    const payer = await createPayer()
    const { db } = shop.connection
    const [row] = await db.select().from(purchaseRows).where(eq(purchaseRows.id, payer.purchase.id))
    await db.execute(sql`update sandbox.objects set kind = 'hidden' where id = ${row?.stripeSubscriptionId}`)
    const { problems } = await decline([payer], 'end')
    expect(await payer.bought()).toMatchObject([{ status: 'cancelled', endedBecause: 'gone', refundedAmount: 0 }])
    expect(problems).toEqual([
      `${payer.user.email}: The subscription has ended. Stripe doesn’t know one subscription, so nothing was refunded for it.`,
    ])
  })

  test('although Stripe fails for another person, who stays in the inbox', async () => {
    const payers = [await createPayer(), await createPayer(), await createPayer()]
    await shop.sandbox.controls.failNext({ on: 'GET /v1/subscriptions', status: 400 })
    const { changed, problems } = await decline(payers, 'end')
    expect(changed).toBe(3)
    const failed = await Promise.all(payers.map(async (payer) => ({ payer, isFailed: await isInInbox(payer) })))
    const [unsettled, ...otherFailures] = failed.filter(({ isFailed }) => isFailed).map(({ payer }) => payer)
    if (!unsettled) throw new Error('Everybody was settled')
    expect(otherFailures).toEqual([])
    expect(problems).toEqual([
      expect.stringContaining(`${unsettled.user.email}: The subscription has not ended. Something went wrong`),
    ])
    await (await shop.admin()).call(accessAdmin.settleDeclined, { id: unsettled.id, decision: 'end' })
    for (const payer of payers) expect(await payer.bought()).toMatchObject([endedAndRefunded])
  })

  test('once, even if it was interrupted after the refund', async () => {
    const payer = await createPayer()
    await shop.sandbox.controls.failNext({ on: 'DELETE /v1/subscriptions', status: 400 })
    const { problems } = await decline([payer], 'end')
    expect(problems).toEqual([expect.stringContaining('The subscription has not ended.')])
    expect(await payer.bought()).toMatchObject([endedAndRefunded])
    expect(await isInInbox(payer)).toBe(false)
  })

  test('although the refund fails, and the admin reads why', async () => {
    const payer = await createPayer()
    const fault = { on: 'POST /v1/refunds', status: 400 } as const
    await shop.sandbox.controls.failNext(fault, fault)
    const { problems } = await decline([payer], 'end')
    expect(problems).toEqual([
      expect.stringContaining(`${payer.user.email}: The subscription has ended. The refund failed:`),
    ])
    expect(await payer.bought()).toMatchObject([{ status: 'cancelled', refundedAmount: 0 }])
  })
})
