export type ErrorBody = {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error'
  message: string
  code?: string
  param?: string
  decline_code?: string
  charge?: string
  payment_intent?: object
  payment_method?: object
  setup_intent?: object
}

/** Stripe's `{ error }` response. Throwing it rolls the request back; returning it commits what the request wrote. */
export class Failure extends Error {
  readonly status: number
  readonly error: ErrorBody
  /** True if the parameters were valid. Stripe stores such a refusal under the request's idempotency key. */
  hasBegun = false

  constructor(status: number, error: ErrorBody) {
    super(error.message)
    this.status = status
    this.error = error
  }
}

export const invalid = (message: string, param?: string, code?: string) =>
  new Failure(400, {
    type: 'invalid_request_error',
    message,
    ...(param === undefined ? {} : { param }),
    ...(code === undefined ? {} : { code }),
  })

export const missing = (what: string, id: string, param = 'id') =>
  new Failure(404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such ${what}: '${id}'`,
    param,
  })
