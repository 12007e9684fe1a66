import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '#server/database/free-port.ts'
import { asStarted } from '../faults/process.ts'
import type { Victim } from '../faults/victim.ts'
import { measure, memory } from './measure.ts'
import { type Bench, get } from './requests.ts'
import type { Line } from './table.ts'

/** A shop on a database that is there, until its first answer. */
async function start(entry: string, env: { PORT: string } & Record<string, string>) {
  const begun = performance.now()
  const child = spawn(process.execPath, [...asStarted, entry], {
    env: { ...process.env, HOST: '127.0.0.1', LOG_LEVEL: 'error', ...env },
    stdio: 'ignore',
  })
  const answers = () =>
    fetch(`http://127.0.0.1:${env.PORT}/`).then(
      (response) => response.ok,
      () => false,
    )
  while (!(await answers())) {
    if (child.exitCode !== null) throw new Error(`The shop stopped with ${child.exitCode}`)
    await sleep(10)
  }
  return {
    pid: child.pid ?? 0,
    port: Number(env.PORT),
    seconds: (performance.now() - begun) / 1000,
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** From nothing to the first answer, with nothing to build; and what the shop weighs then. */
export async function coldStart({ databaseUrl }: Victim, rounds: number): Promise<Line[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'shop-bench-'))
  // The same address each time: the pages are made for it.
  const env = { PORT: String(await freePort()), DATA_DIR: dataDir, DATABASE_URL: databaseUrl }
  const times: number[] = []
  let idle = 0
  for (let count = 0; count <= rounds; count++) {
    const shop = await start('scripts/start.ts', env)
    times.push(shop.seconds)
    if (count === rounds) {
      await sleep(2000)
      idle = memory(shop.pid).now
    }
    await shop.stop()
  }
  rmSync(dataDir, { recursive: true, force: true })
  // The first renders the pages for these settings; later ones find them.
  const [first = 0, ...later] = times
  const best = Math.min(...later)
  return [
    {
      what: 'cold start',
      figure: `${best.toFixed(2)} s (the first time, with rendering: ${first.toFixed(2)} s)`,
      budget: 'under 1 s',
      ok: best < 1,
    },
    { what: 'memory, idle', figure: `${idle} MB`, budget: 'under 130 MB', ok: idle < 130 },
  ]
}

/**
 * Two processes beside one. The load generator needs a core too, so the request is one that keeps the server busy
 * and the generator idle: the description of the API, written out and not sent.
 */
export async function twoProcesses(
  { databaseUrl }: Victim,
  { rounds, seconds }: Pick<Bench, 'rounds' | 'seconds'>,
): Promise<Line[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'shop-bench-'))
  // The best of its rounds: whatever else the machine does takes a core from the two, and none from the one.
  const perSecond: Record<1 | 2, number> = { 1: 0, 2: 0 }
  for (const count of Array.from({ length: rounds }, () => [1, 2] as const).flat()) {
    const shop = await start('scripts/faults/shop.ts', {
      PORT: String(await freePort()),
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      WEB_CONCURRENCY: String(count),
    })
    const target = { ...shop, request: get('/api/openapi.json').replace('GET', 'HEAD') }
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

export function loaded(shop: Victim): Line[] {
  const { now } = memory(shop.pid())
  return [{ what: 'memory after all of this', figure: `${now} MB`, budget: 'under 200 MB', ok: now < 200 }]
}
