import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Length of a tick on Linux, 10 ms. */
const tickMicros = 10_000

/** Includes the children. */
export function cpuMicros(pid: number): number {
  let ticks = 0
  for (const id of [pid, ...childrenOf(pid)]) ticks += ticksOf(id)
  return ticks * tickMicros
}

function ticksOf(pid: number): number {
  try {
    // The fields after the program's name, which stands in parentheses.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    const [userTicks, systemTicks] = fields.slice(11, 13)
    return Number(userTicks ?? 0) + Number(systemTicks ?? 0)
  } catch {
    return 0
  }
}

/** Returns all descendants. */
export function childrenOf(pid: number): number[] {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`)
    const texts = tasks.map((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8'))
    const children = texts.join(' ').split(' ').filter(Boolean).map(Number)
    return children.flatMap((child) => [child, ...childrenOf(child)])
  } catch {
    return []
  }
}

/** Waits for the work after the last response, which counts toward the requests. At most two seconds. */
export async function waitUntilIdle(pid: number) {
  for (let tries = 0; tries < 50; tries++) {
    const ticksBefore = ticksOf(pid)
    await sleep(40)
    if (ticksOf(pid) === ticksBefore) return
  }
}

/** Waits until a second passes with under 100 ms of CPU time, because a purchase causes work after its answer. */
export async function waitUntilQuiet(pid: number) {
  for (let tries = 0; tries < 60; tries++) {
    const microsBefore = cpuMicros(pid)
    await sleep(1000)
    if (cpuMicros(pid) - microsBefore < 100_000) return
  }
}

/** Resident memory in MB. */
export function memoryOf(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kilobytes ?? 0) / 1024)
}

export const descriptorsOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).length

export function isRunning(pid: number) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

export function createTally<Key extends string | number>() {
  const counts = new Map<Key, number>()
  return {
    add: (key: Key) => void counts.set(key, (counts.get(key) ?? 0) + 1),
    of: (key: Key) => counts.get(key) ?? 0,
    only: (...keys: Key[]) => [...counts.keys()].every((key) => keys.includes(key)),
    clear: () => counts.clear(),
    show: () => [...counts].map(([key, count]) => `${key}: ${count}`).join(', ') || 'none',
  }
}

export async function timed<Result>(work: () => Promise<Result>): Promise<[result: Result, milliseconds: number]> {
  const started = performance.now()
  return [await work(), performance.now() - started]
}
