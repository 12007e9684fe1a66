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
