import type { Lab, LabShop } from '../lab/lab.ts'

/** How much each row does in `npm run proof -- faults`, and the limits it must keep. */
export const fullLimits = {
  slowConnections: { connections: 2000, visits: 100, slowestMs: 500 },
  databaseRestarts: { restarts: 20, readyWithinMs: 1000 },
  databaseFrozen: { answerWithinMs: 5000 },
  diskFull: { visits: 20 },
  manyRequests: { requests: 1_000_000, secondsEach: 5, memoryGrowth: 1.1, moreDescriptors: 5 },
  gracefulStop: { stops: 5 },
  // Visitors who never pause leave a starting shop little of the machine.
  rollingRestarts: { rounds: 3, pauseMs: 0 },
  kills: { shops: 2, killsEach: 250 },
  tradingViewKills: { kills: 200 },
  // The share of valid inputs: for each endpoint, or for all of them together.
  badInputs: { perEndpoint: 10_000, rightShare: 0.2, shareOf: 'each endpoint' as 'each endpoint' | 'all' },
  webhookStorm: { webhooks: 10_000, guestsAtOnce: 100 },
  webhooksLost: { guestsADay: 100 },
  backups: { rounds: 5 },
}

export type Limits = typeof fullLimits

/**
 * The same within `npm test`: less of everything, with more time and memory, because the machine may be busy and a shop
 * that has just started is still warming up. docs/commands.md lists what is looser.
 */
export const quickLimits: Limits = {
  ...fullLimits,
  slowConnections: { connections: 500, visits: 20, slowestMs: 5000 },
  databaseRestarts: { restarts: 2, readyWithinMs: 15_000 },
  databaseFrozen: { answerWithinMs: 15_000 },
  diskFull: { visits: 8 },
  manyRequests: { requests: 10_000, secondsEach: 0.5, memoryGrowth: 1.5, moreDescriptors: 50 },
  gracefulStop: { stops: 1 },
  rollingRestarts: { rounds: 1, pauseMs: 20 },
  tradingViewKills: { kills: 3 },
  badInputs: { perEndpoint: 15, rightShare: 0.2, shareOf: 'all' },
  webhookStorm: { webhooks: 500, guestsAtOnce: 10 },
  webhooksLost: { guestsADay: 10 },
  backups: { rounds: 1 },
}

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
