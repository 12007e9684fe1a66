import type { Stage } from './stage.ts'

export type Facts = Record<string, string | number | boolean | null>

export type Scene = {
  title: string
  /** What Stripe's documentation leaves open: only a test key settles it. */
  asks?: string
  play(stage: Stage): Promise<Facts>
  /** What the stand-in does, and what the shop counts on. */
  expected: Facts
}
