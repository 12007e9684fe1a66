import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LabShop } from '../lab/lab.ts'
import { get } from '../lab/load.ts'
import { memoryOf, untilQuiet } from '../lab/measures.ts'
import { openProcess } from '../lab/shop-process.ts'
import { type Bench, type Line, line, measure } from './compare.ts'

async function beside<Result>(
  { databaseUrl }: LabShop,
  { entry, ...env }: { entry?: string; WEB_CONCURRENCY?: string },
  work: (shop: Awaited<ReturnType<typeof openProcess>>) => Promise<Result>,
) {
  const dataDir = mkdtempSync(join(tmpdir(), 'shop-bench-'))
  const shop = await openProcess({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl, ...env }, entry ? { entry } : {})
  const result = await work(shop)
  await shop.stop()
  rmSync(dataDir, { recursive: true, force: true })
  return result
}

export const coldStart = (lab: LabShop, rounds: number): Promise<Line[]> =>
  beside(lab, { entry: 'dist/server/main.js' }, async (shop) => {
    // The first start renders the pages for its URL; later ones reuse them.
    const first = shop.secondsToStart()
    let best = Infinity
    for (let round = 0; round < rounds; round++) {
      await shop.stop()
      await shop.startAgain()
      best = Math.min(best, shop.secondsToStart())
    }
    await sleep(2000)
    const idle = memoryOf(shop.pid())
    const figure = `${best.toFixed(2)} s (first time, with rendering: ${first.toFixed(2)} s)`
    return [
      line('cold start', figure, 'at most 1.5 s', best <= 1.5),
      line('memory, idle', `${idle} MB`, 'at most 150 MB', idle <= 150),
    ]
  })

export function memoryAfterLoad(shop: LabShop): Line[] {
  const memory = memoryOf(shop.pid())
  return [line('memory after all of this', `${memory} MB`)]
}

/**
 * Two processes compared with one. The load generator needs a core too, so the request keeps the server busy and the
 * generator idle: the API description, generated but not sent. The best round counts: other work on the machine takes a
 * core from the two, but none from the one.
 */
export async function twoProcesses(lab: LabShop, { rounds, seconds }: Bench): Promise<Line[]> {
  const request = get('/api/openapi.json').replace('GET', 'HEAD')
  const best: Record<1 | 2, number> = { 1: 0, 2: 0 }
  for (let round = 0; round < rounds; round++)
    for (const count of [1, 2] as const)
      await beside(lab, { WEB_CONCURRENCY: String(count) }, async (shop) => {
        // Ready means one of them is; connections go only to those that listen.
        await untilQuiet(shop.pid())
        const target = { pid: shop.pid(), port: shop.port, request }
        await measure(target, Math.min(1, seconds), 16)
        const { failures, perSecond } = await measure(target, seconds * 2, 16)
        if (failures > 0) throw new Error(`${failures} requests failed`)
        best[count] = Math.max(best[count], perSecond)
      })
  const ratio = best[2] / best[1]
  const figure = `${ratio.toFixed(2)} x one (${best[1].toFixed(0)}/s, then ${best[2].toFixed(0)}/s)`
  return [line('two processes on two cores', figure)]
}
