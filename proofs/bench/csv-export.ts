import { once } from 'node:events'
import { type IncomingMessage, get as request } from 'node:http'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { LabShop } from '../lab/lab.ts'
import { get, runLoad } from '../lab/load.ts'
import { memoryOf, timed } from '../lab/measures.ts'
import type { Bench, Line } from './compare.ts'

const plainCopy = `copy (
  select p.id, p.created_at, u.email, u.name, p.product_id, p.billing_type, p.amount, p.refunded_amount, p.status, p.ended_at
  from purchases p join users u on u.id = p.user_id order by p.created_at, p.id) to stdout with (format csv, header)`

/** An export with formulas defused, compared with a plain COPY of the same columns, and its effect on other visitors. */
export async function csvExport({ shop, rounds, seconds }: Bench, cookie: string): Promise<Line[]> {
  const page = { port: shop.port, request: get('/'), connections: 64, seconds }
  const calm = await runLoad(page)
  const memory = watchMemory(shop.pid())
  // Warms up the data that both read.
  await copy(shop)
  const [copies, exports]: [number[], number[]] = [[], []]
  let bytes = 0
  for (let round = 0; round < rounds; round++) {
    const [, copied] = await timed(() => copy(shop))
    const [size, exported] = await timed(() => download(shop, cookie))
    copies.push(copied)
    exports.push(exported)
    bytes = size
  }
  const again = download(shop, cookie)
  const during = await runLoad(page)
  await again
  const growth = memory.stop()
  // The best of a few long runs is the steadiest figure: other work on the machine can only add.
  const best = Math.min(...exports)
  const speed = Math.min(...copies) / best
  const slower = during.p99 / calm.p99
  return [
    {
      what: 'CSV of all orders',
      figure: `${speed.toFixed(2)} x COPY (${(bytes / 1e6).toFixed(0)} MB in ${(best / 1000).toFixed(1)} s)`,
      budget: 'at least 0.8 x COPY',
      ok: speed >= 0.8,
    },
    {
      what: 'CSV of all orders, memory',
      figure: `${growth} MB more while it runs`,
      budget: 'at most 100 MB',
      ok: growth <= 100,
    },
    {
      what: 'home page during an export, p99',
      figure: `${slower.toFixed(2)} x (${calm.p99.toFixed(1)} ms, then ${during.p99.toFixed(1)} ms)`,
      budget: 'at most 3 x without it',
      ok: slower <= 3,
    },
  ]
}

/** Tracks the peak memory growth in MB until stopped. */
function watchMemory(pid: number) {
  const idle = memoryOf(pid)
  let peak = idle
  const timer = setInterval(() => {
    peak = Math.max(peak, memoryOf(pid))
  }, 20)
  return {
    stop() {
      clearInterval(timer)
      return peak - idle
    },
  }
}

async function copy(shop: LabShop) {
  const client = new pg.Client({ connectionString: shop.databaseUrl })
  await client.connect()
  let bytes = 0
  for await (const chunk of client.query(copyTo(plainCopy)) as AsyncIterable<Buffer>) bytes += chunk.length
  await client.end()
  return bytes
}

async function download(shop: LabShop, cookie: string) {
  const asked = request(`${shop.url}/api/admin/export/orders`, { headers: { cookie } })
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`The export returned status ${response.statusCode}`)
  let bytes = 0
  for await (const chunk of response) bytes += (chunk as Buffer).length
  return bytes
}
