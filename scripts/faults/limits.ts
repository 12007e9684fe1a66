/** How much each row does and what it must keep to, by `npm run test:faults`. */
export const fullLimits = {
  slowConnections: { connections: 2000, visits: 100, slowestMs: 500 },
  databaseRestarts: { restarts: 20, readyWithinMs: 1000 },
  databaseFrozen: { answerWithinMs: 5000 },
  manyRequests: { requests: 1_000_000, secondsEach: 5, memoryGrowth: 1.1, moreDescriptors: 5 },
  gracefulStop: { stops: 5 },
  rollingRestarts: { rounds: 3 },
  kills: { shops: 2, killsEach: 250 },
  // The share of inputs that are right: of every endpoint, or of all of them together.
  badInputs: { perEndpoint: 10_000, rightShare: 0.2, shareOf: 'each endpoint' as 'each endpoint' | 'all' },
  webhookStorm: { webhooks: 10_000, guestsAtOnce: 100 },
  webhooksLost: { guestsADay: 100 },
  backups: { rounds: 5 },
}

export type Limits = typeof fullLimits

/**
 * The same as a part of `npm test`: less of everything, and more time and memory, because that machine may be busy with
 * other things and a shop that has just started is still warming up. The README names what is looser.
 */
export const quickLimits: Limits = {
  slowConnections: { connections: 500, visits: 20, slowestMs: 5000 },
  databaseRestarts: { restarts: 2, readyWithinMs: 15_000 },
  databaseFrozen: { answerWithinMs: 15_000 },
  manyRequests: { requests: 10_000, secondsEach: 0.5, memoryGrowth: 1.5, moreDescriptors: 50 },
  gracefulStop: { stops: 1 },
  rollingRestarts: { rounds: 1 },
  kills: { shops: 1, killsEach: 5 },
  badInputs: { perEndpoint: 15, rightShare: 0.2, shareOf: 'all' },
  webhookStorm: { webhooks: 500, guestsAtOnce: 10 },
  webhooksLost: { guestsADay: 10 },
  backups: { rounds: 1 },
}
