import { setTimeout as sleep } from 'node:timers/promises'
import { encodeCursor } from '#server/database/cursor.ts'
import type { Lab, LabShop } from '../lab/lab.ts'
import { type Bench, type Line, line } from './compare.ts'

const list = '/api/admin/purchases'
const search = '/api/admin/search'

/** Measures lists and searches mainly by buffers and statements, which do not depend on the machine's load. */
export async function measureAdminLists({ shop }: Bench, cookie: string): Promise<Line[]> {
  /** Without a row, as in the small shop of `--quick`, returns a word that no search finds. */
  const readValue = async (text: string) => (await shop.query<{ found: string }>(text))[0]?.found ?? 'pi_none'
  const total = Number(await readValue('select count(*)::int as found from purchases'))
  const [row] = await shop.query<{ at: Date; id: string }>(
    `select created_at as at, id from purchases order by created_at desc, id desc offset ${Math.floor(total * 0.9)} limit 1`,
  )
  const buyer = `from users where trading_view_username is not null order by created_at offset ${Math.min(100, Math.floor(total / 20))} limit 1`
  const word = encodeURIComponent(await readValue(`select split_part(email, '@', 1) as found ${buyer}`))
  const name = encodeURIComponent(await readValue(`select trading_view_username as found ${buyer}`))
  const payment = await readValue(
    'select payment_intent_id as found from purchases where payment_intent_id is not null limit 1',
  )
  const firstPageCost = await costOf(shop, list, cookie)

  // Limits per call. A page far down the list may take half as many buffers again as the first page.
  const calls: [what: string, path: string, statements: number, buffers?: number, milliseconds?: number][] = [
    [`admin list, first of ${total} purchases`, list, 3],
    ['admin list, nine tenths down', `${list}?cursor=${row && encodeCursor(row)}`, 3, firstPageCost.buffers * 1.5],
    ['admin search, a rare word', `${list}?q=${word}`, 3, 100],
    ['admin search, a word everyone has', `${list}?q=example`, 3],
    ['search everywhere, one person', `${search}?q=${word}`, 4, 200],
    ['search everywhere, a TradingView username', `${search}?q=${name}`, 4, 200],
    ['search everywhere, a first name of thousands', `${search}?q=maria`, 4],
    ['search everywhere, a payment', `${search}?q=${payment}`, 2, 50],
    ['what needs the seller', '/api/admin/overview/needs', 6],
    ['payments, first page', '/api/admin/payments', 2],
    ['payments of a person', `/api/admin/payments?q=${word}`, 3],
    ['overview', '/api/admin/overview', 6, Infinity, 300],
    ['figures of twelve months', '/api/admin/figures?range=12m', 7],
  ]
  const lines: Line[] = []
  for (const [what, path, statements, buffers = Infinity, milliseconds = Infinity] of calls) {
    const cost = path === list ? firstPageCost : await costOf(shop, path, cookie)
    const limits = [
      Number.isFinite(buffers) && `${Math.floor(buffers)} buffers`,
      `${statements} statements`,
      Number.isFinite(milliseconds) && `${milliseconds} ms`,
    ]
    const figure = `${cost.buffers} buffers, ${cost.statements} statements, ${cost.milliseconds.toFixed(1)} ms`
    const ok = cost.statements <= statements && cost.buffers <= buffers && cost.milliseconds <= milliseconds
    lines.push(line(what, figure, `at most ${limits.filter(Boolean).join(', ')}`, ok))
  }
  return lines
}

/** PostgreSQL must restart before it counts statements and buffers. */
export async function enableStatementCounts({ restart }: Lab, shop: LabShop) {
  await shop.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`)
  await restart()
  await shop.query('create extension if not exists pg_stat_statements')
  while (!(await shop.isReady())) await sleep(50)
}

/** Cost of a request: the minimum of seven tries, to leave out concurrent jobs. */
async function costOf(shop: LabShop, path: string, cookie: string) {
  const minimum = { buffers: Infinity, statements: Infinity, milliseconds: Infinity }
  for (let count = 0; count < 7; count++) {
    await shop.query('select pg_stat_statements_reset()')
    const startedAt = performance.now()
    const response = await fetch(shop.url + path, { headers: { cookie } })
    await response.arrayBuffer()
    const milliseconds = performance.now() - startedAt
    if (!response.ok) throw new Error(`${path} returned status ${response.status}`)
    const [{ buffers, statements } = { buffers: 0, statements: 0 }] = await shop.query<typeof minimum>(
      `select coalesce(sum(shared_blks_hit + shared_blks_read), 0)::int as buffers, coalesce(sum(calls), 0)::int as statements
       from pg_stat_statements where query ~ '"(sessions|users|purchases|payments|mrr_movements)"'`,
    )
    minimum.buffers = Math.min(minimum.buffers, buffers)
    minimum.statements = Math.min(minimum.statements, statements)
    minimum.milliseconds = Math.min(minimum.milliseconds, milliseconds)
  }
  return minimum
}
