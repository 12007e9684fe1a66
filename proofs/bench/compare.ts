import type { LabShop } from '../lab/lab.ts'
import { runLoad } from '../lab/load.ts'
import type { Requests } from '../lab/load-generator.ts'
import { cpuMicros, untilIdle } from '../lab/measures.ts'

/** One line of the table: a figure, its budget, and whether the budget is met. */
export type Line = { what: string; figure: string; budget: string; ok: boolean | undefined }

const mark = (ok: boolean | undefined) => (ok === undefined ? '' : ok ? 'yes' : 'NO')

export const tableOf = (lines: Line[]) =>
  [
    '| what | figure | budget | met |',
    '|---|---|---|---|',
    ...lines.map(({ what, figure, budget, ok }) => `| ${what} | ${figure} | ${budget} | ${mark(ok)} |`),
  ].join('\n')

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
async function compare(
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

export type Bench = { shop: LabShop; limit: Target; rounds: number; seconds: number }

/** Requests compared with the limit, in alternating rounds. */
export async function served(
  bench: Bench,
  what: string,
  request: Requests,
  budget: { cpu?: number; p99?: number },
): Promise<Line[]> {
  const target = { pid: bench.shop.pid(), port: bench.shop.port, request }
  const { limit, target: shop } = await compare(bench.limit, target, bench)
  const ratio = shop.cpuMicros / limit.cpuMicros
  const slower = shop.p99 / limit.p99
  return [
    {
      what: `${what}, CPU`,
      figure: `${ratio.toFixed(2)} x limit (${shop.cpuMicros.toFixed(0)} µs, ${shop.perSecond.toFixed(0)}/s; limit ${limit.cpuMicros.toFixed(0)} µs, ${limit.perSecond.toFixed(0)}/s)`,
      budget: budget.cpu ? `at most ${budget.cpu} x limit` : '',
      ok: shop.failures === 0 && (budget.cpu ? ratio <= budget.cpu : undefined),
    },
    {
      what: `${what}, p99`,
      figure: `${slower.toFixed(2)} x limit (${shop.p99.toFixed(1)} ms)`,
      budget: budget.p99 ? `at most ${budget.p99} x limit` : '',
      ok: budget.p99 ? slower <= budget.p99 : undefined,
    },
  ]
}
