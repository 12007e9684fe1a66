import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Asked, LoadOrder, LoadReport } from './load.ts'

/** One server under load, as figures: the stable one is its CPU time for each request. */
export type Figures = { cpuMicros: number; perSecond: number; p99: number; failures: number }
export type Target = { pid: number; port: number; request: Asked }

const loader = fileURLToPath(new URL('./load.ts', import.meta.url))

export async function measure(target: Target, seconds: number, connections = 64): Promise<Figures> {
  const before = cpuMicros(target.pid)
  const report = await runLoad({ ...target, connections, seconds })
  // What the server still does for these requests after the last answer belongs to them.
  await untilIdle(target.pid)
  return {
    cpuMicros: (cpuMicros(target.pid) - before) / Math.max(1, report.requests),
    perSecond: report.requests / report.seconds,
    p99: report.p99,
    failures: report.failures,
  }
}

export async function runLoad(order: LoadOrder): Promise<LoadReport> {
  const child = fork(loader)
  child.send(order)
  const [report] = (await once(child, 'message')) as [LoadReport]
  return report
}

/** Alternating rounds of the limit and the target; each figure is the median of its rounds. */
export async function compare(
  limit: Target,
  target: Target,
  { rounds, seconds }: { rounds: number; seconds: number },
) {
  const [limits, targets]: [Figures[], Figures[]] = [[], []]
  // Compiled while it runs: what a visitor meets is the warm server.
  await measure(limit, seconds)
  await measure(target, seconds * 2)
  for (let round = 0; round < rounds; round++) {
    limits.push(await measure(limit, seconds))
    targets.push(await measure(target, seconds))
  }
  return { limit: medians(limits), target: medians(targets) }
}

function medians(rounds: Figures[]): Figures {
  const median = (pick: (figures: Figures) => number) =>
    rounds.map(pick).toSorted((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? 0
  return {
    cpuMicros: median((figures) => figures.cpuMicros),
    perSecond: median((figures) => figures.perSecond),
    p99: median((figures) => figures.p99),
    failures: Math.max(...rounds.map((figures) => figures.failures)),
  }
}

/** CPU time of a process and its children so far, in microseconds; ticks are 10 ms on Linux. */
export function cpuMicros(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, id) => sum + ticks(id) * 10_000, 0)
}

function ticks(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return Number(fields[11] ?? 0) + Number(fields[12] ?? 0)
  } catch {
    return 0
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' '))
      .filter(Boolean)
      .map(Number)
      .flatMap((child) => [child, ...childrenOf(child)])
  } catch {
    return []
  }
}

async function untilIdle(pid: number) {
  for (let last = -1, now = ticks(pid), tries = 0; now !== last && tries < 50; tries++) {
    last = now
    await sleep(40)
    now = ticks(pid)
  }
}

/** Resident memory in MB, now and at its highest. */
export function memory(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kilobytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0)
  return { now: Math.round(kilobytes('VmRSS') / 1024), peak: Math.round(kilobytes('VmHWM') / 1024) }
}
