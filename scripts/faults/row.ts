import type { Lab, LabShop } from '../lab/lab.ts'
import type { Limits } from './limits.ts'

/** Each row hurts the shop in one way and answers one line of figures; `ok` says whether its limits were kept. */
export type Row = {
  name: string
  /** Hurts what others share, or measures what others would disturb. */
  alone?: true
  /** Settings of the shop that it hurts. */
  env?: Record<string, string>
  run(given: { shop: LabShop; lab: Lab; limits: Limits }): Promise<Outcome>
}

/** Figures are what was measured, never what was expected. */
export type Outcome = { ok: boolean; figures: string; skipped?: boolean }

/** Details below the line of figures, at most five. */
export const details = (lines: Iterable<string>) =>
  [...new Set(lines)]
    .slice(0, 5)
    .map((line) => `\n    ${line}`)
    .join('')
