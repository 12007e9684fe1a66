/** How the sandbox behaves. Stripe does each of these, too: see README.md. */
export type Quirks = {
  /** Seeds the randomness, so a run can be repeated. */
  seed: number
  /** Seconds from a confirmed payment to the paid invoice and the active subscription. */
  lag: { from: number; to: number }
  /** The share of events that are sent twice. */
  duplicates: number
  /** Seconds over which simultaneous events are spread, so they arrive out of order. */
  spread: number
  /** Webhooks never come, or come late. */
  drop: boolean
  delaySeconds: number
  /** The share of writes that return 500, half of them after the work was done. */
  failing: number
  /** Seconds until a write is answered, though its work is done at once. */
  writeSeconds: number
  /** The next requests that fail, in this order. */
  faults: Fault[]
  key: Key
  /** The seller's account at Stripe. */
  account: string
  /** Result for a subscription after the last failed retry. */
  afterRetries: 'cancel' | 'unpaid' | 'past_due'
  /** A `cancel_at` within the paid period becomes the period's end. */
  shortens: boolean
  /** The currency of the seller's bank account, in which Stripe moves a dispute's money. */
  settlesIn: 'usd' | 'chf'
  /** Seconds for which a renewal's invoice stays a draft before it is finalized and charged. */
  draftSeconds: number
}

export type Fault = {
  /** `POST /v1/refunds`: the start of the request's method and path. Matches every request when left out. */
  on?: string
  status: 400 | 429 | 500
  /** The header with which Stripe overrules its SDK; left out when there is none. */
  shouldRetry?: boolean
  /** The answer is an error although the work was done. */
  done?: boolean
}

/** State of the secret key; a restricted key lacks permissions (`rak_charge_write`). */
export type Key = 'works' | 'expired' | { without: readonly string[] }

/** Days after the renewal. Smart Retries pick the hours by machine learning; two weeks and eight tries are the default. */
export const retryDays = [1, 2, 4, 6, 8, 10, 12, 14]

/** Stripe's normal behavior. */
export const usual: Quirks = {
  seed: 1,
  lag: { from: 0.2, to: 2 },
  duplicates: 0.1,
  spread: 0.5,
  drop: false,
  delaySeconds: 0,
  failing: 0,
  writeSeconds: 0,
  faults: [],
  key: 'works',
  account: 'acct_1SandboxAccount0',
  afterRetries: 'cancel',
  shortens: true,
  settlesIn: 'usd',
  draftSeconds: 0,
}

/** For tests: only a moved clock ends it, so nothing depends on how busy the machine is. */
export const lagByClock = { from: 60, to: 600 }

/** Random-looking numbers from 0 to 1, the same for the same seed (mulberry32). */
export function createChance(seed: number) {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
