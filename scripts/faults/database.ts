import { spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { format, type Row, subscribe, timed } from './row.ts'
import type { Victim } from './victim.ts'

export const databaseRestarts: Row = {
  name: 'PostgreSQL restarted under load',
  alone: true,
  async run(victim, quick) {
    const restarts = quick ? 2 : 20
    const pid = victim.pid()
    const acknowledged: string[] = []
    const statuses = new Map<number, number>()
    let pagesWrong = 0
    let running = true
    const writer = async (name: number) => {
      for (let count = 0; running; count++) {
        const email = `w${name}-${count}@fault.example`
        const status = await subscribe(victim, email).then(
          (response) => response.status,
          () => 0,
        )
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status === 200) acknowledged.push(email)
        const page = await fetch(`${victim.url}/`).then(
          (response) => response.arrayBuffer().then(() => response.status),
          () => 0,
        )
        if (page !== 200) pagesWrong += 1
      }
    }
    const writers = Array.from({ length: 8 }, (_, name) => writer(name))
    let slowest = 0
    for (let restart = 0; restart < restarts; restart++) {
      await sleep(400)
      await restartPostgres(victim)
      const started = performance.now()
      while (!(await fetch(`${victim.url}/readyz`)).ok) await sleep(10)
      slowest = Math.max(slowest, performance.now() - started)
    }
    running = false
    await Promise.all(writers)
    const [row] = await victim.query<{ n: string }>(
      'select count(*) as n from newsletter_subscriptions where email = any($1)',
      [acknowledged],
    )
    const lost = acknowledged.length - Number(row?.n)
    const others = [...statuses.keys()].filter((status) => status !== 200 && status !== 503)
    return {
      ok:
        lost === 0 &&
        pagesWrong === 0 &&
        slowest < (quick ? 15_000 : 1000) &&
        victim.pid() === pid &&
        victim.isAlive() &&
        others.length === 0,
      figures: `${restarts} restarts: ${acknowledged.length} writes acknowledged, ${lost} lost, ready again within ${slowest.toFixed(0)} ms, answers ${format(statuses)}, ${pagesWrong} pages wrong, same process`,
    }
  },
}

/** Fast: clients are cut off, as by an operator or a failover. */
async function restartPostgres(victim: Victim) {
  process.kill(victim.postmaster(), 'SIGINT')
  while (isRunning(victim)) await sleep(5)
  victim.startPostgres()
}

function isRunning(victim: Victim) {
  try {
    process.kill(victim.postmaster(), 0)
    return true
  } catch {
    return false
  }
}

export const databaseFrozen: Row = {
  name: 'PostgreSQL frozen',
  alone: true,
  async run(victim, quick) {
    const everyone = processTree(victim.postmaster())
    for (const pid of everyone) process.kill(pid, 'SIGSTOP')
    const [response, took] = await timed(() => subscribe(victim, 'frozen@fault.example'))
    const [page, pageTook] = await timed(() => fetch(`${victim.url}/`))
    for (const pid of everyone) process.kill(pid, 'SIGCONT')
    const [after, afterTook] = await timed(async () => {
      for (let tries = 0; tries < 100; tries++) {
        if ((await subscribe(victim, 'thawed@fault.example')).status === 200) return 200
        await sleep(100)
      }
      return 503
    })
    return {
      ok: response.status === 503 && took < (quick ? 15_000 : 5000) && page.status === 200 && after === 200,
      figures: `answered ${response.status} after ${(took / 1000).toFixed(1)} s, a page ${page.status} after ${pageTook.toFixed(0)} ms, ${after} within ${(afterTook / 1000).toFixed(1)} s when it thawed`,
    }
  },
}

function processTree(pid: number): number[] {
  const children = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' }).stdout
  return [pid, ...children.split('\n').map(Number).filter(Boolean)]
}
