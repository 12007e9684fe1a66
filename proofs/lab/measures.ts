import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Includes the children. Ticks are 10 ms on Linux. */
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

/** Returns all descendants. */
export function childrenOf(pid: number): number[] {
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

/** Waits for the work after the last response, which counts toward the requests. At most two seconds. */
export async function waitUntilIdle(pid: number) {
  for (let before = -1, now = ticks(pid), tries = 0; now !== before && tries < 50; tries++) {
    before = now
    await sleep(40)
    now = ticks(pid)
  }
}

/** Waits until a second passes with under 100 ms of CPU time, because a purchase causes work after its answer. */
export async function waitUntilQuiet(pid: number) {
  for (let tries = 0; tries < 60; tries++) {
    const before = cpuMicros(pid)
    await sleep(1000)
    if (cpuMicros(pid) - before < 100_000) return
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
