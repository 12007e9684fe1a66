import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { InputOf } from '#contract/endpoint.ts'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { type Purchase } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { isLive } from '#contract/statuses.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
let admin: Awaited<ReturnType<TestShop['admin']>>
beforeAll(async () => {
  shop = await openShop()
  admin = await shop.admin()
  await shop.connection.pool.query(`
    insert into users (email, name, created_at)
    select (array['ada', 'b%b', 'c_l', 'ümit', 'zoe.fox'])[1 + n % 5] || n || case when n <= 870 then '@common.com' else '@rare.org' end,
      case n % 3 when 0 then 'Ada Lovelace' when 1 then 'BOB' else 'Émile Zola' end, now() - n % 700 * interval '1 hour'
    from generate_series(1, 1000) n`)
  await shop.connection.pool.query(
    `insert into purchases (user_id, product_id, billing_type, price, status, created_at)
    select id, $1, (array['monthly', 'yearly'])[1 + length(email) % 2], 3900,
      (array['active', 'pending_cancel', 'past_due', 'cancelled', 'expired'])[1 + length(name || email) * k % 5],
      created_at + k * interval '1 hour'
    from users, generate_series(1, 3) k where email like '%@common.com' or email like '%@rare.org'`,
    [reboundSigmaPro.id],
  )
  await shop.connection.pool.query('vacuum analyze')
}, 60_000)
afterAll(() => shop.close())

type Query = Omit<InputOf<typeof purchasesAdmin.list>, 'limit'> & { limit?: number }

async function listAllPages(query: Query): Promise<Purchase[]> {
  const listed: Purchase[] = []
  let cursor: string | undefined
  do {
    const page = await admin.callPage(purchasesAdmin.list, { ...query, cursor })
    expect(page.items.length).toBeLessThanOrEqual(query.limit ?? 100)
    listed.push(...page.items)
    cursor = page.next
  } while (cursor)
  return listed
}

/** Words of one or two characters match only the start of a word, as in the shop's search. */
const textMatches = (text: string, word: string) =>
  ` ${text}`.toLowerCase().includes(word.length < 3 ? ` ${word}` : word)

const purchaseMatches = ({ user, tradingViewUsername }: Purchase, word: string) =>
  textMatches(`${user.email} ${user.name} ${tradingViewUsername ?? ''}`, word)

describe('the list of all purchases', () => {
  test('shows every purchase once, in order, however it’s filtered, searched, or paged', async () => {
    const all = await listAllPages({ limit: 200 })
    expect(all).toHaveLength(3000)
    const searchText = fc.constantFrom(
      undefined,
      'common',
      'COMMON.com',
      'rare.org',
      'ada1',
      'ADA LOVELACE',
      'lovelace common ada',
      'zoe.fox9',
      'b%b',
      '%',
      'c_l',
      'ümit',
      'émile',
      'b',
      'a z',
      'nobody at all',
      'ada5@common.com',
    )
    const query = fc.record({
      q: searchText,
      status: fc.constantFrom(undefined, 'active' as const, 'past_due' as const),
      billingType: fc.constantFrom(undefined, 'monthly' as const),
      sort: fc.constantFrom(undefined, 'newest' as const, 'oldest' as const),
      limit: fc.constantFrom(150, 200),
    })
    await fc.assert(
      fc.asyncProperty(query, async ({ q, status, billingType, sort, limit }) => {
        const searchWords = (q ?? '').toLowerCase().split(' ')
        const matching = all.filter((purchase) => {
          if (status && purchase.status !== status) return false
          if (billingType && purchase.billingType !== billingType) return false
          return searchWords.every((word) => purchaseMatches(purchase, word))
        })
        const expected = sort === 'oldest' ? matching.toReversed() : matching
        const listed = await listAllPages({ q, status, billingType, sort, limit })
        expect(listed.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
      }),
      {
        numRuns: 25,
        examples: [[{ q: 'common', status: undefined, billingType: undefined, sort: 'oldest', limit: 200 }]],
      },
    )
  }, 120_000)

  test('refuses a filter that doesn’t exist', async () => {
    const { status } = await admin.fetch('/api/admin/purchases?status=frozen')
    expect(status).toBe(400)
  })
})

describe('the list of users', () => {
  async function listAllUsers(query: { q?: string }) {
    const users: { id: string; email: string; name: string }[] = []
    let cursor: string | undefined
    do {
      const page = await admin.callPage(accountsAdmin.list, { ...query, limit: 200, cursor })
      users.push(...page.items)
      cursor = page.next
    } while (cursor)
    return users
  }

  test.for(['common', 'zoe.fox9', 'Émile', 'b'])('finds everyone who matches %j, once', async (q) => {
    const everyone = await listAllUsers({})
    const matching = everyone.filter(({ email, name }) => textMatches(`${email} ${name}`, q.toLowerCase()))
    const expectedIds = new Set(matching.map(({ id }) => id))
    const foundIds = (await listAllUsers({ q })).map(({ id }) => id)
    expect(foundIds).toHaveLength(expectedIds.size)
    expect(new Set(foundIds)).toEqual(expectedIds)
  })

  test('counts each user’s active and total purchases', async () => {
    const [user] = await admin.call(accountsAdmin.list, { q: 'ada5@common.com' })
    const purchasesOfUser = await listAllPages({ q: 'ada5@common.com' })
    expect(user).toMatchObject({
      totalPurchases: 3,
      activePurchases: purchasesOfUser.filter(({ status }) => isLive(status)).length,
    })
  })
})
