import { runLoad } from '../lab/load.ts'
import type { Requests } from '../lab/load-generator.ts'
import { cpuMicros, untilIdle } from '../lab/usage.ts'

/** One server under load. Its CPU time per request is the stable figure. */
export type Figures = { cpuMicros: number; perSecond: number; p99: number; failures: number }
export type Target = { pid: number; port: number; request: Requests }

export async function measure(target: Target, seconds: number, connections = 64): Promise<Figures> {
  const before = cpuMicros(target.pid)
  const report = await runLoad({ ...target, connections, seconds })
  await untilIdle(target.pid)
  return {
    cpuMicros: (cpuMicros(target.pid) - before) / Math.max(1, report.requests),
    perSecond: report.requests / report.seconds,
    p99: report.p99,
    failures: report.failures,
  }
}

/** Alternating rounds of the limit and the target; each figure is the median of its rounds. */
export async function compare(
  limit: Target,
  target: Target,
  { rounds, seconds }: { rounds: number; seconds: number },
) {
  const [limits, targets]: [Figures[], Figures[]] = [[], []]
  // Warm up first: visitors meet a server whose code is already compiled.
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
