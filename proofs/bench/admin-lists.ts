import { setTimeout as sleep } from 'node:timers/promises'
import { encodeCursor } from '#server/database/cursor.ts'
import type { Lab, LabShop } from '../lab/lab.ts'
import type { Bench, Line } from './compare.ts'

const list = '/api/admin/purchases'
const search = '/api/admin/search'

type Limits = { statements: number; buffers?: number }

/** Lists and searches, measured in counts, so a busy machine does not matter. */
export async function adminLists({ shop }: Bench, cookie: string): Promise<Line[]> {
  const total = await countPurchases(shop)
  const someone = await rareWord(shop)
  const month = new Date().toISOString().slice(0, 7)
  const first = await costOf(shop, list, cookie)

  async function measure(what: string, path: string, { statements, buffers }: Limits): Promise<Line> {
    const cost = path === list ? first : await costOf(shop, path, cookie)
    const limits = [buffers && `${buffers} buffers`, `${statements} statements`]
    return {
      what,
      figure: show(cost),
      budget: `at most ${limits.filter(Boolean).join(', ')}`,
      ok: cost.statements <= statements && (buffers === undefined || cost.buffers <= buffers),
    }
  }

  return [
    await measure(`admin list, first of ${total} purchases`, list, { statements: 3 }),
    // At most half again as many buffers as the first page.
    await measure(
      'admin list, nine tenths down',
      `${list}?cursor=${await cursorAt(shop, Math.floor(total * 0.9))}`,
      { statements: 3, buffers: Math.floor(first.buffers * 1.5) },
    ),
    await measure('admin search, a rare word', `${list}?q=${someone}`, { statements: 3, buffers: 100 }),
    await measure('admin search, a word everyone has', `${list}?q=example`, { statements: 3 }),
    await measure('search everywhere, one person', `${search}?q=${someone}`, { statements: 4, buffers: 200 }),
    await measure('search everywhere, a TradingView username', `${search}?q=${await rareName(shop)}`, {
      statements: 4,
      buffers: 200,
    }),
    await measure('search everywhere, a first name of thousands', `${search}?q=maria`, { statements: 4 }),
    await measure('search everywhere, a payment', `${search}?q=${await somePayment(shop)}`, {
      statements: 2,
      buffers: 50,
    }),
    await measure('what needs the seller', '/api/admin/overview/needs', { statements: 6 }),
    await measure('purchases that ended this month', `${list}?ended=${month}`, { statements: 2 }),
  ]
}

const show = ({ buffers, statements, milliseconds }: Cost) =>
  `${buffers} buffers, ${statements} statements, ${milliseconds.toFixed(1)} ms`

async function countPurchases(shop: LabShop) {
  const [counted] = await shop.query<{ total: number }>('select count(*)::int as total from purchases')
  return counted?.total ?? 0
}

async function cursorAt(shop: LabShop, offset: number) {
  const [row] = await shop.query<{ at: Date; id: string }>(
    `select created_at as at, id from purchases order by created_at desc, id desc offset ${offset} limit 1`,
  )
  return row ? encodeCursor(row) : ''
}

async function rareWord(shop: LabShop) {
  const [someone] = await shop.query<{ email: string }>(
    'select email from users where not is_admin order by created_at offset 1000 limit 1',
  )
  return encodeURIComponent(someone?.email.split('@')[0] ?? '')
}

async function rareName(shop: LabShop) {
  const [someone] = await shop.query<{ name: string }>(
    'select trading_view_username as name from users where trading_view_username is not null order by created_at offset 1000 limit 1',
  )
  return encodeURIComponent(someone?.name ?? '')
}

async function somePayment(shop: LabShop) {
  const [some] = await shop.query<{ id: string }>(
    'select payment_intent_id as id from purchases where payment_intent_id is not null limit 1',
  )
  return some?.id ?? 'pi_none'
}

export type Cost = { buffers: number; statements: number; milliseconds: number }

/** Makes PostgreSQL count statements and the buffers they touch, which takes a restart. */
export async function countStatements({ restart }: Lab, shop: LabShop) {
  await shop.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`)
  await restart()
  await shop.query('create extension if not exists pg_stat_statements')
  while (!(await shop.isReady())) await sleep(50)
}

/** What a request costs the database. The minimum of several tries, to leave out jobs that run meanwhile. */
async function costOf(shop: LabShop, path: string, cookie: string): Promise<Cost> {
  const tries: Cost[] = []
  for (let count = 0; count < 7; count++) {
    await shop.query('select pg_stat_statements_reset()')
    const begun = performance.now()
    const response = await fetch(shop.url + path, { headers: { cookie } })
    await response.arrayBuffer()
    const milliseconds = performance.now() - begun
    if (!response.ok) throw new Error(`${path} returned status ${response.status}`)
    const [counted] = await shop.query<{ buffers: number; statements: number }>(
      `select sum(shared_blks_hit + shared_blks_read)::int as buffers, sum(calls)::int as statements
       from pg_stat_statements where query ~ '"(sessions|users|purchases)"'`,
    )
    tries.push({ buffers: counted?.buffers ?? 0, statements: counted?.statements ?? 0, milliseconds })
  }
  const least = (key: keyof Cost) => Math.min(...tries.map((each) => each[key]))
  return { buffers: least('buffers'), statements: least('statements'), milliseconds: least('milliseconds') }
}
