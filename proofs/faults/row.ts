import type { Lab, LabShop } from '../lab/lab.ts'
import type { Limits } from './limits.ts'

/** Each row breaks the shop in one way and returns one line of figures; `ok` says whether it kept its limits. */
export type Row = {
  name: string
  /** Breaks something shared, or measures something others would disturb. */
  alone?: true
  /** `npm test` has it already, as a test of its own. */
  isTested?: true
  /** Settings of the shop it breaks. */
  env?: Record<string, string>
  run(given: { shop: LabShop; lab: Lab; limits: Limits }): Promise<Outcome>
}

/** Figures show what was measured, never what was expected. */
export type Outcome = { ok: boolean; figures: string; skipped?: boolean }

/** At most five details, shown below the figures. */
export const details = (lines: Iterable<string>) =>
  [...new Set(lines)]
    .slice(0, 5)
    .map((line) => `\n    ${line}`)
    .join('')
