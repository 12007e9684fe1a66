import { expect, inject, test } from 'vitest'
import { type LabShop, labAt } from '../lab/lab.ts'
import { leaksSoFar } from '../lab/shop-process.ts'

const lab = labAt(inject('lab'))
const isQuick = Boolean(process.env.QUICK)

/** Returns the size and limits of a fault. `quick` replaces some of them in `npm test` (docs/commands.md). */
export const sized = <Limit extends object>(full: Limit, quick: Partial<Limit>): Limit =>
  isQuick ? { ...full, ...quick } : full

/** Environment of a shop whose memory is measured. With much memory, V8 collects late, and memory grows without a leak. */
export const smallHeap = { NODE_OPTIONS: '--max-old-space-size=128' }

type FaultTools = { shop: LabShop; lab: typeof lab }
/** `figures` is a sentence with the measured values. */
type Outcome = { ok: boolean; figures: string; skipped?: boolean }
type Options = {
  env?: Record<string, string>
  /** False if another test or fault of `npm test` shows it. */
  isInQuickRun?: boolean
}

export function fault(
  name: string,
  run: (tools: FaultTools) => Promise<Outcome>,
  { env = {}, isInQuickRun = true }: Options = {},
) {
  test.skipIf(isQuick && !isInQuickRun)(`fault: ${name}`, async ({ skip }) => {
    const shop = await lab.openShop(env)
    try {
      const { ok, figures, skipped } = await run({ shop, lab })
      console.log(`${name}: ${figures}`)
      skip(skipped === true, figures)
      expect(ok, figures).toBe(true)
    } finally {
      await shop.close()
    }
    // Even in faults, the logs must contain no personal data.
    expect(leaksSoFar()).toEqual([])
  })
}

/** The first five different lines, indented below the figures. */
export function details(lines: Iterable<string>): string {
  const firstLines = [...new Set(lines)].slice(0, 5)
  return firstLines.map((line) => `\n    ${line}`).join('')
}
