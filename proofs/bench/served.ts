import type { LabShop } from '../lab/lab.ts'
import type { Requests } from '../lab/load-generator.ts'
import { compare, type Target } from './compare.ts'
import type { Line } from './table.ts'

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
