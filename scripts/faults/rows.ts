import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { memory, runLoad } from '../bench/measure.ts'
import type { Victim } from './victim.ts'

/** Each row hurts the shop in one way and answers one line of figures; `ok` says whether the goal was met. */
export type Row = {
  name: string
  run(victim: Victim, quick: boolean): Promise<{ ok: boolean; figures: string }>
}

const subscribe = (victim: Victim, email: string) =>
  fetch(`${victim.url}/api/newsletter/subscribe`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
    signal: AbortSignal.timeout(10_000),
  })

async function timed<Result>(work: () => Promise<Result>): Promise<[result: Result, milliseconds: number]> {
  const started = performance.now()
  return [await work(), performance.now() - started]
}

export const slowConnections: Row = {
  name: 'slow connections',
  async run(victim, quick) {
    const count = quick ? 500 : 2000
    const sockets = Array.from({ length: count }, () =>
      connect(victim.port, '127.0.0.1').on('error', () => undefined),
    )
    const drip = setInterval(() => {
      for (const socket of sockets) if (socket.writable) socket.write('x')
    }, 1000)
    for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nhost: localhost\r\nx-slow: ')
    await sleep(500)
    let slowest = 0
    let wrong = 0
    for (let visit = 0; visit < (quick ? 40 : 100); visit++) {
      const [response, took] = await timed(() =>
        fetch(`${victim.url}/`, { signal: AbortSignal.timeout(10_000) }),
      )
      await response.arrayBuffer()
      slowest = Math.max(slowest, took)
      if (response.status !== 200) wrong += 1
      await sleep(50)
    }
    clearInterval(drip)
    const closed = sockets.filter((socket) => socket.destroyed || socket.readyState !== 'open').length
    for (const socket of sockets) socket.destroy()
    return {
      ok: wrong === 0 && slowest < 500,
      figures: `${count} slow connections (${closed} of them cut off): others answered 200, slowest ${slowest.toFixed(0)} ms, ${wrong} wrong`,
    }
  },
}

export const databaseRestarts: Row = {
  name: 'PostgreSQL restarted under load',
  async run(victim, quick) {
    const restarts = quick ? 3 : 20
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
        slowest < 1000 &&
        victim.pid() === pid &&
        victim.isAlive() &&
        others.length === 0,
      figures: `${restarts} restarts: ${acknowledged.length} writes acknowledged, ${lost} lost, ready again within ${slowest.toFixed(0)} ms, answers ${format(statuses)}, ${pagesWrong} pages wrong, same process`,
    }
  },
}

const format = (statuses: Map<number, number>) =>
  [...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')

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
  async run(victim) {
    const everyone = processTree(victim.postmaster())
    for (const pid of everyone) process.kill(pid, 'SIGSTOP')
    const [response, took] = await timed(() => subscribe(victim, 'frozen@fault.example'))
    const [page, pageTook] = await timed(() => fetch(`${victim.url}/`))
    for (const pid of everyone) process.kill(pid, 'SIGCONT')
    await sleep(1000)
    const after = await subscribe(victim, 'thawed@fault.example')
    return {
      ok: response.status === 503 && took < 5000 && page.status === 200 && after.status === 200,
      figures: `answered ${response.status} after ${(took / 1000).toFixed(1)} s, a page ${page.status} after ${pageTook.toFixed(0)} ms, ${after.status} when it thawed`,
    }
  },
}

function processTree(pid: number): number[] {
  const children = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' }).stdout
  return [pid, ...children.split('\n').map(Number).filter(Boolean)]
}

export const manyRequests: Row = {
  name: 'memory and descriptors',
  async run(victim, quick) {
    const total = quick ? 30_000 : 1_000_000
    const requests = ['/', '/api/products', '/api/user', '/nope'].map(
      (path) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\naccept-encoding: br\r\n\r\n`,
    )
    const round = async (count: number) => {
      let done = 0
      for (let turn = 0; done < count; turn++) {
        const request = requests[turn % requests.length] ?? ''
        done += (await runLoad({ port: victim.port, request, connections: 64, seconds: quick ? 0.5 : 5 }))
          .requests
      }
      return done
    }
    const descriptors = () => readdirSync(`/proc/${victim.pid()}/fd`).length
    await round(total / 5)
    await sleep(1500)
    const before = { memory: memory(victim.pid()).now, descriptors: descriptors() }
    const served = await round(total)
    await sleep(1500)
    const after = { memory: memory(victim.pid()).now, descriptors: descriptors() }
    return {
      ok: after.memory <= before.memory * 1.1 && after.descriptors <= before.descriptors + 5,
      figures: `${served} requests: memory ${before.memory} MB, then ${after.memory} MB; descriptors ${before.descriptors}, then ${after.descriptors}`,
    }
  },
}

export const gracefulStop: Row = {
  name: 'stopped under load',
  async run(victim, quick) {
    let [dropped, answered, codes] = [0, 0, new Set<number | null>()]
    for (let stop = 0; stop < (quick ? 2 : 10); stop++) {
      let stopping = false
      const visitor = async () => {
        for (;;) {
          const begun = stopping
          try {
            const response = await fetch(`${victim.url}/api/products`)
            await response.arrayBuffer()
            answered += 1
          } catch {
            // Refused after the stop was asked for is right; an accepted request that gets no answer is not.
            if (!begun && !stopping) dropped += 1
            return
          }
        }
      }
      const visitors = Array.from({ length: 16 }, visitor)
      await sleep(500)
      stopping = true
      codes.add(await victim.stop('SIGTERM'))
      await Promise.all(visitors)
      await victim.startAgain()
    }
    return {
      ok: dropped === 0 && codes.size === 1 && codes.has(0),
      figures: `${answered} answered, ${dropped} dropped, exit codes ${[...codes].join(', ')}`,
    }
  },
}
