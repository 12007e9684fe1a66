import { encodeCursor } from '#server/database/cursor.ts'
import type { LabShop } from '../lab/lab.ts'
import type { Bench } from './served.ts'
import { type Cost, costOf } from './statements.ts'
import type { Line } from './table.ts'

const list = '/api/admin/purchases'

/** Lists and searches, measured in counts, so a busy machine does not matter. */
export async function adminLists({ shop }: Bench, cookie: string): Promise<Line[]> {
  const total = await countPurchases(shop)
  const first = await costOf(shop, list, cookie)
  const later = await costOf(shop, `${list}?cursor=${await cursorAt(shop, Math.floor(total * 0.9))}`, cookie)
  const word = await costOf(shop, `${list}?q=${await rareWord(shop)}`, cookie)
  const broad = await costOf(shop, `${list}?q=example`, cookie)
  const everywhere = '/api/admin/search'
  const person = await costOf(shop, `${everywhere}?q=${await rareWord(shop)}`, cookie)
  const trader = await costOf(shop, `${everywhere}?q=${await rareName(shop)}`, cookie)
  const anyone = await costOf(shop, `${everywhere}?q=maria`, cookie)
  const payment = await costOf(shop, `${everywhere}?q=${await somePayment(shop)}`, cookie)
  const needs = await costOf(shop, '/api/admin/overview/needs', cookie)
  const ended = await costOf(shop, `${list}?ended=${new Date().toISOString().slice(0, 7)}`, cookie)
  return [
    {
      what: `admin list, first of ${total} purchases`,
      figure: show(first),
      budget: 'at most 3 statements',
      ok: first.statements <= 3,
    },
    {
      what: 'admin list, nine tenths down',
      figure: show(later),
      budget: "at most 1.5 x the first page's buffers",
      ok: later.buffers <= first.buffers * 1.5 && later.statements <= 3,
    },
    {
      what: 'admin search, a rare word',
      figure: show(word),
      budget: 'at most 100 buffers, 3 statements',
      ok: word.buffers <= 100 && word.statements <= 3,
    },
    {
      what: 'admin search, a word everyone has',
      figure: show(broad),
      budget: 'at most 3 statements',
      ok: broad.statements <= 3,
    },
    {
      what: 'search everywhere, one person',
      figure: show(person),
      budget: 'at most 200 buffers, 4 statements',
      ok: person.buffers <= 200 && person.statements <= 4,
    },
    {
      what: 'search everywhere, a TradingView username',
      figure: show(trader),
      budget: 'at most 200 buffers, 4 statements',
      ok: trader.buffers <= 200 && trader.statements <= 4,
    },
    {
      what: 'search everywhere, a first name of thousands',
      figure: show(anyone),
      budget: 'at most 4 statements',
      ok: anyone.statements <= 4,
    },
    {
      what: 'search everywhere, a payment',
      figure: show(payment),
      budget: 'at most 50 buffers, 2 statements',
      ok: payment.buffers <= 50 && payment.statements <= 2,
    },
    {
      what: 'what needs the seller',
      figure: show(needs),
      budget: 'at most 6 statements',
      ok: needs.statements <= 6,
    },
    {
      what: 'purchases that ended this month',
      figure: show(ended),
      budget: 'at most 2 statements',
      ok: ended.statements <= 2,
    },
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
