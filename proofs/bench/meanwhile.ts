import { once } from 'node:events'
import { get as httpGet, type IncomingMessage } from 'node:http'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { get, post, runLoad } from '../lab/load.ts'
import { cpuMicros, memoryOf, timed } from '../lab/measures.ts'
import { seller } from '../lab/shop-process.ts'
import { type Bench, type Line, line } from './compare.ts'

async function compareP99During(
  what: string,
  loadOthers: () => Promise<{ p99: number }>,
  work: () => Promise<unknown>,
) {
  const before = await loadOthers()
  const workDone = work()
  const during = await loadOthers()
  await workDone
  const ratio = during.p99 / before.p99
  const figure = `${ratio.toFixed(2)} x (${before.p99.toFixed(1)} ms, then ${during.p99.toFixed(1)} ms)`
  return line(what, figure)
}

/** Password hashing is limited, so a flood of logins must not slow other requests much. */
export async function measureLoginFlood({ shop: { port, pid }, seconds }: Bench): Promise<Line[]> {
  const page = { port, request: get('/api/products'), connections: 64, seconds: seconds * 2 }
  const logins: Line[] = []
  const others = await compareP99During(
    'other calls during a login flood, p99',
    () => runLoad(page),
    async () => {
      const before = cpuMicros(pid())
      const request = post('/api/login', seller)
      const flood = await runLoad({ port, request, connections: 32, seconds: seconds * 2 + 1 })
      const cpuMsEach = (cpuMicros(pid()) - before) / 1000 / Math.max(1, flood.requests)
      const rate = flood.requests / flood.seconds
      logins.push(line('login', `${rate.toFixed(0)}/s, about ${cpuMsEach.toFixed(0)} ms CPU each`))
    },
  )
  return [...logins, others]
}

const plainCopy = `copy (
  select p.id, p.created_at, u.email, u.name, p.product_id, p.billing_type, p.price, p.refunded_amount, p.status, p.ended_at
  from purchases p join users u on u.id = p.user_id order by p.created_at, p.id) to stdout with (format csv, header)`

/** An export defuses formulas, which a plain COPY does not. */
export async function measureCsvExport({ shop, rounds, seconds }: Bench, cookie: string): Promise<Line[]> {
  async function copy() {
    const client = new pg.Client({ connectionString: shop.databaseUrl })
    await client.connect()
    const bytes = await sizeOf(client.query(copyTo(plainCopy)))
    await client.end()
    return bytes
  }
  async function download() {
    const request = httpGet(`${shop.url}/api/admin/export/orders`, { headers: { cookie } })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    if (response.statusCode !== 200) throw new Error(`The export returned status ${response.statusCode}`)
    return sizeOf(response)
  }
  const memoryBefore = memoryOf(shop.pid())
  let growthMb = 0
  const watch = setInterval(() => (growthMb = Math.max(growthMb, memoryOf(shop.pid()) - memoryBefore)), 20)
  // The first copy warms the caches. After that, the fastest run counts, because other work can only slow a run down.
  await copy()
  let [copyMs, exportMs, bytes] = [Infinity, Infinity, 0]
  for (let round = 0; round < rounds; round++) {
    copyMs = Math.min(copyMs, (await timed(copy))[1])
    const [exportedBytes, tookMs] = await timed(download)
    exportMs = Math.min(exportMs, tookMs)
    bytes = exportedBytes
  }
  const page = { port: shop.port, request: get('/'), connections: 64, seconds }
  const others = await compareP99During('home page during an export, p99', () => runLoad(page), download)
  clearInterval(watch)
  const [speed, size] = [copyMs / exportMs, `${(bytes / 1e6).toFixed(0)} MB`]
  return [
    line('CSV of all orders', `${speed.toFixed(2)} x COPY (${size} in ${(exportMs / 1000).toFixed(1)} s)`),
    line('CSV of all orders, memory', `${growthMb} MB more while it runs`, 'at most 100 MB', growthMb <= 100),
    others,
  ]
}

async function sizeOf(stream: AsyncIterable<Buffer>) {
  let bytes = 0
  for await (const chunk of stream) bytes += chunk.length
  return bytes
}
