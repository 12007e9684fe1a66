import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LabShop } from '../lab/lab.ts'
import { get } from '../lab/load.ts'
import { memoryOf, untilQuiet } from '../lab/measures.ts'
import { openProcess } from '../lab/shop-process.ts'
import { type Bench, type Line, measure } from './compare.ts'

/** Time to the first response with nothing to build, and the memory used by then. */
export async function coldStart({ databaseUrl }: LabShop, rounds: number): Promise<Line[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'shop-bench-'))
  const env = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl }
  // The first start renders the pages for its URL; later ones reuse them.
  const shop = await openProcess(env, { entry: 'scripts/start.ts' })
  const first = shop.secondsToStart()
  const later: number[] = []
  for (let round = 0; round < rounds; round++) {
    await shop.stop()
    await shop.startAgain()
    later.push(shop.secondsToStart())
  }
  await sleep(2000)
  const idle = memoryOf(shop.pid())
  await shop.stop()
  rmSync(dataDir, { recursive: true, force: true })
  const best = Math.min(...later)
  return [
    {
      what: 'cold start',
      figure: `${best.toFixed(2)} s (first time, with rendering: ${first.toFixed(2)} s)`,
      budget: 'under 1 s',
      ok: best < 1,
    },
    { what: 'memory, idle', figure: `${idle} MB`, budget: 'under 130 MB', ok: idle < 130 },
  ]
}

export function memoryAfterLoad(shop: LabShop): Line[] {
  const memory = memoryOf(shop.pid())
  return [
    { what: 'memory after all of this', figure: `${memory} MB`, budget: 'under 200 MB', ok: memory < 200 },
  ]
}

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
