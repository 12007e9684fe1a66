import { get, post, runLoad } from '../lab/load.ts'
import { cpuMicros } from '../lab/measures.ts'
import { seller } from '../lab/shop-process.ts'
import type { Bench, Line } from './compare.ts'

/** Hashing is bounded, so a login flood must not stop the pages. */
export async function loginFlood({ shop, seconds }: Bench): Promise<Line[]> {
  const page = { port: shop.port, request: get('/api/products'), connections: 64, seconds: seconds * 2 }
  const calm = await runLoad(page)
  const before = cpuMicros(shop.pid())
  const flood = runLoad({
    port: shop.port,
    request: post('/api/login', seller),
    connections: 32,
    seconds: seconds * 2 + 1,
  })
  const during = await runLoad(page)
  const logins = await flood
  const ratio = during.p99 / calm.p99
  const each = (cpuMicros(shop.pid()) - before) / 1000 / Math.max(1, logins.requests)
  return [
    {
      what: 'login',
      figure: `${(logins.requests / logins.seconds).toFixed(0)}/s, about ${each.toFixed(0)} ms CPU each`,
      budget: '',
      ok: undefined,
    },
    {
      what: 'other calls during a login flood, p99',
      figure: `${ratio.toFixed(2)} x (${calm.p99.toFixed(1)} ms, then ${during.p99.toFixed(1)} ms)`,
      budget: 'at most 3 x without it',
      ok: ratio <= 3,
    },
  ]
}
