import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LabShop } from '../lab/lab.ts'
import { get } from '../lab/load.ts'
import { openProcess } from '../lab/shop-process.ts'
import { untilQuiet } from '../lab/usage.ts'
import { measure } from './compare.ts'
import type { Bench } from './served.ts'
import type { Line } from './table.ts'

/**
 * Two processes compared with one. The load generator needs a core too, so the request keeps the server busy and the
 * generator idle: the API description, generated but not sent.
 */
export async function twoProcesses(
  { databaseUrl }: LabShop,
  { rounds, seconds }: Pick<Bench, 'rounds' | 'seconds'>,
): Promise<Line[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'shop-bench-'))
  const request = get('/api/openapi.json').replace('GET', 'HEAD')
  // The best round counts: other work on the machine takes a core from the two, but none from the one.
  const perSecond: Record<1 | 2, number> = { 1: 0, 2: 0 }
  for (let round = 0; round < rounds; round++)
    for (const count of [1, 2] as const) {
      const env = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, WEB_CONCURRENCY: String(count) }
      const shop = await openProcess(env)
      // Ready means one of them is; connections go only to those that listen.
      await untilQuiet(shop.pid())
      const target = { pid: shop.pid(), port: shop.port, request }
      await measure(target, 1, 16)
      const { failures, ...measured } = await measure(target, seconds * 2, 16)
      if (failures > 0) throw new Error(`${failures} requests failed`)
      perSecond[count] = Math.max(perSecond[count], measured.perSecond)
      await shop.stop()
    }
  rmSync(dataDir, { recursive: true, force: true })
  const [one, two] = [perSecond[1], perSecond[2]]
  return [
    {
      what: 'two processes on two cores',
      figure: `${(two / one).toFixed(2)} x one (${one.toFixed(0)}/s, then ${two.toFixed(0)}/s)`,
      budget: 'at least 1.7 x one',
      ok: two / one >= 1.7,
    },
  ]
}
