import pg from 'pg'
import { expect, test } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { contract } from '#contract/index.ts'
import { openShop } from '../testing/open-shop.ts'
import { hasPgBouncer, openPgBouncer } from '../testing/pgbouncer.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { assertReachable } from './connect.ts'

test.runIf(hasPgBouncer)(
  'two shops sell through a pooler that gives each transaction a different session',
  async () => {
    const database = await createTestDatabase({ empty: true })
    const pooler = await openPgBouncer(database.url)
    const open = () =>
      openShop({ databaseUrl: pooler.url, env: { DATABASE_DIRECT_URL: database.url, SECRETS_KEY: secretsKey } })
    try {
      // Both find an empty database: one migrates while the other waits.
      const [firstShop, secondShop] = await Promise.all([open(), open()])
      const shops = [firstShop, secondShop]
      const pairs = Array.from({ length: 8 }, (_, index) =>
        index % 2 ? { soldBy: firstShop, otherShop: secondShop } : { soldBy: secondShop, otherShop: firstShop },
      )
      const buyers = await Promise.all(
        pairs.map(async ({ soldBy, otherShop }) => ({ ...(await soldBy.buyer()), otherShop })),
      )
      for (const { user, password, otherShop } of buyers) {
        const sameBuyer = otherShop.visitor()
        await sameBuyer.call(accounts.login, { email: user.email, password })
        expect(await sameBuyer.call(contract.purchases.list, {})).toMatchObject([{ status: 'active' }])
      }
      await Promise.all(shops.map((shop) => shop.settle()))
      const mails = (await Promise.all(shops.map((shop) => shop.mails()))).flat()
      expect(mails.filter(({ subject }) => subject.startsWith('Your receipt'))).toHaveLength(8)
      const admin = await firstShop.admin()
      const exported = await (await admin.fetch('/api/admin/export/orders')).text()
      expect(exported.trim().split('\n')).toHaveLength(9)
      for (const shop of shops) await shop.close()
    } finally {
      await pooler.close()
      await database.drop()
    }
  },
)

test.runIf(hasPgBouncer)(
  'a shop whose every session is cut off behind the pooler keeps selling and sending emails',
  async () => {
    const database = await createTestDatabase()
    const pooler = await openPgBouncer(database.url)
    const env = { DATABASE_DIRECT_URL: pooler.sessionUrl, SECRETS_KEY: secretsKey }
    const shop = await openShop({ databaseUrl: pooler.url, env })
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      for (let round = 0; round < 3; round++) {
        const { rowCount } = await client.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()`,
        )
        expect(rowCount).toBeGreaterThan(0)
        const canRegister = () =>
          shop.user().then(
            () => true,
            () => false,
          )
        await expect.poll(canRegister, { timeout: 10_000 }).toBe(true)
      }
      const { user } = await shop.buyer()
      const receipts = async () =>
        (await shop.mails()).filter(({ to, subject }) => to === user.email && subject.startsWith('Your receipt'))
      await expect.poll(receipts, { timeout: 10_000 }).toHaveLength(1)
    } finally {
      await client.end()
      await shop.close()
      await pooler.close()
      await database.drop()
    }
  },
)

const secretsKey = '0123456789abcdef'.repeat(2) + 'fedcba9876543210'.repeat(2)

test('a PostgreSQL that is too old is refused with a clear message', async () => {
  const oldPostgres = { query: async () => ({ rows: [{ version: 140_011 }] }) }
  await expect(assertReachable(oldPostgres as never, 'postgres://db.example/shop')).rejects.toThrow(
    'The PostgreSQL at db.example:5432/shop is older than 15. Please use 15 or newer.',
  )
})
