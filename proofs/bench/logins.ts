import { get, post, runLoad } from '../lab/load.ts'
import { cpuMicros } from '../lab/measures.ts'
import { seller } from '../lab/shop-process.ts'
import { type Bench, type Line, line, meanwhile } from './compare.ts'

/** Hashing is bounded, so a login flood must not stop the pages. */
export async function loginFlood({ shop: { port, pid }, seconds }: Bench): Promise<Line[]> {
  const page = { port, request: get('/api/products'), connections: 64, seconds: seconds * 2 }
  const logins: Line[] = []
  const others = await meanwhile(
    'other calls during a login flood, p99',
    () => runLoad(page),
    async () => {
      const before = cpuMicros(pid())
      const request = post('/api/login', seller)
      const flood = await runLoad({ port, request, connections: 32, seconds: seconds * 2 + 1 })
      const each = (cpuMicros(pid()) - before) / 1000 / Math.max(1, flood.requests)
      const rate = flood.requests / flood.seconds
      logins.push(line('login', `${rate.toFixed(0)}/s, about ${each.toFixed(0)} ms CPU each`))
    },
  )
  return [...logins, others]
}
