import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LabShop } from '../lab/lab.ts'
import { openProcess } from '../lab/shop-process.ts'
import { memoryOf } from '../lab/usage.ts'
import type { Line } from './table.ts'

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
