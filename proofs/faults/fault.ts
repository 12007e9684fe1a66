import { expect, inject, test } from 'vitest'
import { type LabShop, labAt } from '../lab/lab.ts'
import { leaksSoFar } from '../lab/shop-process.ts'

const lab = labAt(inject('lab'))
const isQuick = Boolean(process.env.QUICK)

/** How much a fault does, with the limits it must keep, and what is looser within `npm test` (docs/commands.md). */
export const sized = <Limit extends object>(full: Limit, quick: Partial<Limit>): Limit =>
  isQuick ? { ...full, ...quick } : full

type FaultTools = { shop: LabShop; lab: typeof lab }
/** Figures show what was measured, never what was expected. */
type Outcome = { ok: boolean; figures: string; skipped?: boolean }
type Options = {
  env?: Record<string, string>
  /** False if another test or fault of `npm test` shows it. */
  quick?: boolean
}

/** Breaks a shop in one way; prints one line of figures, and fails if it did not keep its limits. */
export function fault(
  name: string,
  run: (tools: FaultTools) => Promise<Outcome>,
  { env = {}, quick = true }: Options = {},
) {
  test.skipIf(isQuick && !quick)(`fault: ${name}`, async ({ skip }) => {
    const shop = await lab.openShop(env)
    try {
      const { ok, figures, skipped } = await run({ shop, lab })
      console.log(`${name}: ${figures}`)
      skip(skipped === true, figures)
      expect(ok, figures).toBe(true)
    } finally {
      await shop.close()
    }
    // The shops' logs name no one, even then.
    expect(leaksSoFar()).toEqual([])
  })
}

export const details = (lines: Iterable<string>) =>
  [...new Set(lines)]
    .slice(0, 5)
    .map((line) => `\n    ${line}`)
    .join('')
