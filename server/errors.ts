/** A request that cannot be granted. The message is a sentence for the person who reads it. */
export class Refusal extends Error {
  readonly status: number
  readonly fields: Record<string, string> | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    status: number,
    message: string,
    more: { fields?: Record<string, string>; retryAfterSeconds?: number } = {},
  ) {
    super(message)
    this.status = status
    this.fields = more.fields
    this.retryAfterSeconds = more.retryAfterSeconds
  }
}

export const notFound = (what: string) => new Refusal(404, `${what} not found`)
export const conflict = (message: string) => new Refusal(409, message)

/** A start that cannot go on: one line that says what to do. */
export class StartError extends Error {}

/** A job that would never succeed, however often it is tried: it waits for an admin instead. */
export class PermanentFailure extends Error {}
