import type { RefusalCode } from '#contract/refusals.ts'
import type { WayToProve } from '#contract/statuses.ts'

type Details = {
  fields?: Record<string, string>
  retryAfterSeconds?: number
  /** Accepted ways to prove the identity before the call is repeated. */
  again?: WayToProve[]
  /** Second factors that complete a login after the password. */
  next?: WayToProve[]
  /** Current price, in cents. */
  amount?: number
}

/** The message is for the person who reads it, the code for programs. */
export class Refusal extends Error {
  readonly status: number
  readonly code: RefusalCode
  readonly details: Details

  constructor(status: number, code: RefusalCode, message: string, details: Details = {}) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
  }
}

export const notFound = (what: string) => new Refusal(404, 'not-found', `${what} not found`)
export const conflict = (code: RefusalCode, message: string) => new Refusal(409, code, message)

export const invalid = (field: string, message: string) =>
  new Refusal(400, 'invalid-input', message, { fields: { [field]: message } })

export const tooMany = (seconds: number) =>
  new Refusal(429, 'too-many', `Too many attempts. Please try again in ${durationInWords(seconds)}.`, {
    retryAfterSeconds: seconds,
  })

function durationInWords(seconds: number) {
  if (seconds < 2) return 'a second'
  if (seconds < 90) return `${seconds} seconds`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 120) return `${minutes} minutes`
  return `${Math.ceil(minutes / 60)} hours`
}

/** Ends the start with one line that says what to do. */
export class StartError extends Error {}

/** Retrying can't fix the job, so it waits for an admin. */
export class PermanentFailure extends Error {}
