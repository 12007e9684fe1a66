import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { access as buyers } from '#contract/access/access.ts'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { access } from '#server/database/schema.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

async function findAccess(userId: string) {
  const [row] = await shop.connection.db.select().from(access).where(eq(access.userId, userId))
  return row
}

async function createWaitingBuyer(tradingViewUsername: string) {
  const buyer = await shop.buyer()
  await buyer.call(buyers.submitForPurchase, {
    exchangeName: 'Binance',
    apiKey: 'api-key',
    secretKey: 'secret-key',
    tradingViewUsername,
    purchaseId: buyer.purchase.id,
  })
  const row = await findAccess(buyer.user.id)
  return { ...buyer, id: row?.id ?? '' }
}

test('an unlock that cannot be announced does not delay the others', async () => {
  const payers = [await createWaitingBuyer('first_one'), await createWaitingBuyer('second_one')]
  const [failing, other] = payers.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  await (await shop.admin()).call(accessAdmin.grant, { ids: payers.map(({ id }) => id) })
  shop.clock.advance({ minutes: 2 })
  await shop.connection.db.execute(sql`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
    create trigger refuse before update on access for each row when (old.id = ${sql.raw(`'${failing?.id}'`)})
      execute function refuse()`)
  await expect(shop.queue.runNow('announce-access')).rejects.toThrow('1 of 2 announcements failed')
  expect((await findAccess(other?.user.id ?? ''))?.undoUntil).toBeNull()
  await shop.connection.db.execute(sql`drop trigger refuse on access`)
  await shop.queue.runNow('announce-access')
  expect((await findAccess(failing?.user.id ?? ''))?.undoUntil).toBeNull()
})
