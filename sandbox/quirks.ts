/** Irregular behavior of Stripe that the sandbox imitates; README.md links to Stripe's documentation of each. */
export type Quirks = {
  /** Seed of the random numbers: a run with the same seed can be repeated. */
  seed: number
  /** Seconds from a confirmed payment to the paid invoice and the active subscription. */
  lag: { from: number; to: number }
  /** The share of events that are sent twice. */
  duplicates: number
  /** Seconds over which simultaneous events are spread, so they arrive out of order. */
  spread: number
  /** Webhooks are not sent. */
  drop: boolean
  /** Webhooks are sent this much later. */
  delaySeconds: number
  /** The share of writes that return 500; half of them take effect anyway. */
  failing: number
  /** Seconds until the response to a write, which takes effect immediately. */
  writeSeconds: number
  /** Queue of faults; each applies to one request. */
  faults: Fault[]
  key: SecretKeyState
  account: string
  afterRetries: 'cancel' | 'unpaid' | 'past_due'
  /** A `cancel_at` within the paid period becomes the period's end. */
  shortens: boolean
  /** The currency of the seller's bank account, in which Stripe moves a dispute's money. */
  settlesIn: 'usd' | 'chf'
  /** Seconds for which a renewal's invoice stays a draft before it is finalized and charged. */
  draftSeconds: number
}

export type Fault = {
  /** Start of the method and path, such as `POST /v1/refunds`; undefined matches every request. */
  on?: string
  status: 400 | 429 | 500
  /** Value of the header `stripe-should-retry`, which overrules the SDK; undefined sends no header. */
  shouldRetry?: boolean
  /** With status 500: the request takes effect although its response is an error. */
  done?: boolean
}

/** State of the secret key; `without` lists the permissions that a restricted key lacks, such as `rak_charge_write`. */
export type SecretKeyState = 'works' | 'expired' | { without: readonly string[] }

/** Days from a renewal to each retry. Smart Retries default to eight retries within two weeks, at times that Stripe predicts. */
export const retryDays = [1, 2, 4, 6, 8, 10, 12, 14]

export const defaultQuirks: Quirks = {
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

/** Lag in seconds for tests: so long that it ends only when the test moves the clock or settles payments. */
export const lagByClock = { from: 60, to: 600 }

/** Returns a generator of pseudorandom numbers from 0 to 1 (mulberry32). */
export function createRandom(seed: number) {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
