import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LabShop } from '../lab/lab.ts'
import { get } from '../lab/load.ts'
import { memoryOf, waitUntilQuiet } from '../lab/measures.ts'
import { openProcess } from '../lab/shop-process.ts'
import { type Bench, type Line, line, measure } from './compare.ts'

async function withSecondShop<Result>(
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

export const measureColdStart = (firstShop: LabShop, rounds: number): Promise<Line[]> =>
  withSecondShop(firstShop, { entry: 'dist/server/main.js' }, async (shop) => {
    // The first start renders the pages for its URL; later ones reuse them.
    const firstSeconds = shop.secondsToStart()
    let fastestSeconds = Infinity
    for (let round = 0; round < rounds; round++) {
      await shop.stop()
      await shop.startAgain()
      fastestSeconds = Math.min(fastestSeconds, shop.secondsToStart())
    }
    await sleep(2000)
    const idleMb = memoryOf(shop.pid())
    const figure = `${fastestSeconds.toFixed(2)} s (first time, with rendering: ${firstSeconds.toFixed(2)} s)`
    return [
      line('cold start', figure, 'at most 1.5 s', fastestSeconds <= 1.5),
      line('memory, idle', `${idleMb} MB`, 'at most 165 MB', idleMb <= 165),
    ]
  })

export function measureMemoryAfterLoad(shop: LabShop): Line[] {
  const memory = memoryOf(shop.pid())
  return [line('memory after all of this', `${memory} MB`)]
}

/**
 * The load generator needs a core too, so it requests only the head of a description that the server must generate.
 * The best round counts, because other work slows two processes more.
 */
export async function compareTwoProcesses(firstShop: LabShop, { rounds, seconds }: Bench): Promise<Line[]> {
  const request = get('/api/openapi.json').replace('GET', 'HEAD')
  const best: Record<1 | 2, number> = { 1: 0, 2: 0 }
  for (let round = 0; round < rounds; round++)
    for (const count of [1, 2] as const)
      await withSecondShop(firstShop, { WEB_CONCURRENCY: String(count) }, async (shop) => {
        // The shop is ready when one process is, so this waits until both listen.
        await waitUntilQuiet(shop.pid())
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
