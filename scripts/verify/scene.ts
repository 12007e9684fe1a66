import type { Stage } from './stage.ts'

export type Facts = Record<string, string | number | boolean | null>

export type Scene = {
  title: string
  /** Behavior that Stripe's documentation leaves open; only a test key can settle it. */
  asks?: string
  play(stage: Stage): Promise<Facts>
  /** Behavior of the stand-in that the shop relies on. */
  expected: Facts
}
