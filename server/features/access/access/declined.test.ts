import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { access as buyers } from '#contract/access/access.ts'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { overview } from '#contract/admin/overview.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { access } from '#server/database/schema.ts'
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
async function createPayer() {
  const buyer = await shop.buyer()
  const ask = (purchaseId = buyer.purchase.id) =>
    buyer.call(buyers.submitForPurchase, {
      exchangeName: 'Binance',
      apiKey: 'api-key',
      secretKey: 'secret-key',
      tradingViewUsername: newUsername(),
      purchaseId,
    })
  await ask()
  const [row] = await shop.connection.db.select().from(access).where(eq(access.userId, buyer.user.id))
  const mine = async () => (await buyer.call(buyers.mine, {}))[0]
  /** Newest first. */
  const bought = async () => {
    await shop.settle()
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
    expect(await decline([payer], 'end')).toEqual({ changed: 1 })
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
    await admin.call(accessAdmin.settleDeclined, settle)
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
    expect(declined).toEqual({ changed: 1 })
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
