import { once } from 'node:events'
import { get as ask, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { encodeCursor } from '#server/database/cursor.ts'
import type { Victim } from '../faults/victim.ts'
import { memory, runLoad } from './measure.ts'
import { type Bench, get } from './requests.ts'
import type { Line } from './table.ts'

/** Makes PostgreSQL count statements and the blocks they touch; for that it must start anew. */
export async function countStatements(shop: Victim) {
  await shop.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`)
  const postmaster = shop.postmaster()
  process.kill(postmaster, 'SIGINT')
  while (isRunning(postmaster)) await sleep(20)
  shop.startPostgres()
  await shop.query('create extension if not exists pg_stat_statements')
  while (!(await shop.isReady())) await sleep(50)
}

function isRunning(pid: number) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Lists and searches by what they touch: the figures are counts, so the machine's mood does not matter. */
export async function adminLists({ shop }: Bench, cookie: string): Promise<Line[]> {
  const [counted] = await shop.query<{ total: number }>('select count(*)::int as total from purchases')
  const total = counted?.total ?? 0
  const [deep] = await shop.query<{ at: Date; id: string }>(
    `select created_at as at, id from purchases order by created_at desc, id desc offset ${Math.floor(total * 0.9)} limit 1`,
  )
  const [someone] = await shop.query<{ email: string }>(
    'select email from users where not is_admin order by created_at offset 1000 limit 1',
  )
  const rare = encodeURIComponent(someone?.email.split('@')[0] ?? '')
  const list = '/api/admin/purchases'
  const first = await touched(shop, list, cookie)
  const later = await touched(shop, `${list}?cursor=${deep ? encodeCursor(deep) : ''}`, cookie)
  const word = await touched(shop, `${list}?q=${rare}`, cookie)
  const broad = await touched(shop, `${list}?q=example`, cookie)
  const show = ({ blocks, statements, ms }: Touched) =>
    `${blocks} buffers, ${statements} statements, ${ms.toFixed(1)} ms`
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
      ok: later.blocks <= first.blocks * 1.5 && later.statements <= 3,
    },
    {
      what: 'admin search, a rare word',
      figure: show(word),
      budget: 'at most 100 buffers, 3 statements',
      ok: word.blocks <= 100 && word.statements <= 3,
    },
    {
      what: 'admin search, a word that everybody has',
      figure: show(broad),
      budget: 'at most 3 statements',
      ok: broad.statements <= 3,
    },
  ]
}

type Touched = { blocks: number; statements: number; ms: number }

/** The least of some tries: jobs that run by the way are not the request's. */
async function touched(shop: Victim, path: string, cookie: string): Promise<Touched> {
  const tries: Touched[] = []
  for (let count = 0; count < 7; count++) {
    await shop.query('select pg_stat_statements_reset()')
    const begun = performance.now()
    const response = await fetch(shop.url + path, { headers: { cookie } })
    await response.arrayBuffer()
    const ms = performance.now() - begun
    if (!response.ok) throw new Error(`${path} answered ${response.status}`)
    const [counted] = await shop.query<{ blocks: number; statements: number }>(
      `select sum(shared_blks_hit + shared_blks_read)::int as blocks, sum(calls)::int as statements
       from pg_stat_statements where query ~ '"(sessions|users|purchases)"'`,
    )
    tries.push({ blocks: counted?.blocks ?? 0, statements: counted?.statements ?? 0, ms })
  }
  const least = (key: keyof Touched) => Math.min(...tries.map((each) => each[key]))
  return { blocks: least('blocks'), statements: least('statements'), ms: least('ms') }
}

const plainCopy = `copy (
  select p.id, p.created_at, u.email, u.name, p.product_id, p.billing_type, p.amount, p.refunded_amount, p.status, p.ended_at
  from purchases p join users u on u.id = p.user_id order by p.created_at, p.id) to stdout with (format csv, header)`

/** An export, formulas made harmless, against PostgreSQL's plain COPY of the same columns; and what others feel of it. */
export async function csvExport({ shop, rounds, seconds }: Bench, cookie: string): Promise<Line[]> {
  await copyOnce(shop) // Warms what both of them read.
  const page = { port: shop.port, request: get('/'), connections: 64, seconds }
  const calm = await runLoad(page)
  const idle = memory(shop.pid()).now
  let peak = idle
  const watch = setInterval(() => {
    peak = Math.max(peak, memory(shop.pid()).now)
  }, 20)
  const [copies, downloads]: [Timed[], Timed[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    copies.push(await timed(() => copyOnce(shop)))
    downloads.push(await timed(() => download(shop, cookie)))
  }
  const [own, ours] = [best(copies), best(downloads)]
  const again = download(shop, cookie)
  const during = await runLoad(page)
  await again
  clearInterval(watch)
  const speed = own.seconds / ours.seconds
  const slower = during.p99 / calm.p99
  return [
    {
      what: 'CSV of all orders',
      figure: `${speed.toFixed(2)} x COPY (${(ours.bytes / 1e6).toFixed(0)} MB in ${ours.seconds.toFixed(1)} s)`,
      budget: 'at least 0.8 x COPY',
      ok: speed >= 0.8,
    },
    {
      what: 'CSV of all orders, memory',
      figure: `${peak - idle} MB more while it runs`,
      budget: 'at most 100 MB',
      ok: peak - idle <= 100,
    },
    {
      what: 'home page during an export, p99',
      figure: `${slower.toFixed(2)} x (${calm.p99.toFixed(1)} ms, then ${during.p99.toFixed(1)} ms)`,
      budget: 'at most 3 x without it',
      ok: slower <= 3,
    },
  ]
}

async function copyOnce(shop: Victim) {
  const client = new pg.Client({ connectionString: shop.databaseUrl })
  await client.connect()
  let bytes = 0
  for await (const chunk of client.query(copyTo(plainCopy)) as AsyncIterable<Buffer>) bytes += chunk.length
  await client.end()
  return bytes
}

async function download(shop: Victim, cookie: string) {
  const request = ask(`${shop.url}/api/admin/export/orders`, { headers: { cookie } })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`The export answered ${response.statusCode}`)
  let bytes = 0
  for await (const chunk of response) bytes += (chunk as Buffer).length
  return bytes
}

type Timed = { bytes: number; seconds: number }

async function timed(work: () => Promise<number>): Promise<Timed> {
  const started = performance.now()
  return { bytes: await work(), seconds: (performance.now() - started) / 1000 }
}

/** Of a few long runs the best is the steadiest figure: whatever else the machine does only adds. */
const best = (all: Timed[]) => all.toSorted((a, b) => a.seconds - b.seconds)[0] ?? { bytes: 0, seconds: 0 }
