import StripeSdk, { type Stripe } from 'stripe'
import { declineSentence } from '#contract/selling/declines.ts'
import { Refusal } from '../../errors.ts'

/** A fault at Stripe that a buyer cannot fix: a wrong key, a missing permission, an invalid request. */
export type StripeFault = {
  /** The SDK's name for it, such as StripeAuthenticationError. */
  type: string
  status: number | undefined
  code: string | undefined
  message: string
  /** Finds the request in Stripe's dashboard. */
  requestId: string | undefined
  isOutage: boolean
}

/** A refusal caused by Stripe; Stripe's own words are for the log and the seller. */
export class StripeRefusal extends Refusal {
  readonly fault: StripeFault
  constructor(fault: StripeFault, retryAfterSeconds: number) {
    super(
      fault.isOutage ? 503 : 502,
      fault.isOutage ? 'payments-away' : 'payments-broken',
      fault.isOutage ? away : broken,
      fault.isOutage ? { retryAfterSeconds } : {},
    )
    this.fault = fault
  }
}

/** Stripe reports the object as missing: deleted, or of another account. */
export const isUnknownToStripe = (error: unknown) =>
  error instanceof StripeRefusal && error.fault.code === 'resource_missing'

export type Client = ReturnType<typeof createClient>

const { StripeCardError, StripeConnectionError, StripeError, StripeIdempotencyError, StripeInvalidRequestError } =
  StripeSdk.errors

const away = 'The payment service isn’t answering right now. Please try again in a moment.'
const broken = 'Something went wrong with our payment service. Please try again later or contact support.'

/** Temporary errors: too many requests, an idempotency key in use, an outage. */
const passes = (status: number | undefined) => status === 409 || status === 429 || (status ?? 0) >= 500

export const isRefused = (error: unknown, { code, param }: { code?: string; param?: string } = {}) =>
  error instanceof StripeInvalidRequestError &&
  (code === undefined || error.code === code) &&
  (param === undefined || error.param === param)

/** The idempotency key was used with other parameters, by a concurrent or earlier request. */
export const isOtherUse = (error: unknown) => error instanceof StripeIdempotencyError

const isServerError = (error: unknown) => error instanceof StripeError && (error.statusCode ?? 0) >= 500

/** Replayed answer to an earlier request with the same idempotency key. */
const isReplayed = (error: unknown) =>
  error instanceof StripeError &&
  error.headers?.['idempotent-replayed'] === 'true' &&
  !(error instanceof StripeCardError)

const isSpent = (error: unknown) => isOtherUse(error) || isServerError(error) || isReplayed(error)
const mostFailures = 3
/** Maximum number of keys to try: Stripe keeps a refusal under its key for a day. */
const mostKeys = 20

export const isMissing = (error: unknown) => isRefused(error, { code: 'resource_missing' })

export const needsBuyer = (error: unknown) =>
  error instanceof StripeError && error.code === 'invoice_payment_intent_requires_action'

export function createClient(sdk: Stripe, report: (fault: StripeFault) => void) {
  /** Stripe's messages are never shown to visitors. */
  function translate(error: unknown): unknown {
    if (!(error instanceof StripeError)) return error
    if (error instanceof StripeCardError) return new Refusal(402, 'card-declined', declineSentence(error))
    const { type, statusCode: status, code, message, requestId, headers } = error
    const isOutage = error instanceof StripeConnectionError || passes(status)
    const fault = { type, status, code, message, requestId, isOutage }
    report(fault)
    return new StripeRefusal(fault, Number(headers?.['retry-after']) || 5)
  }

  /** Waits for an answer. Errors that the caller `expects` are rethrown as they came, for the caller to handle. */
  async function ask<Answer extends { object: string }>(
    request: Promise<Answer>,
    expects: (error: unknown) => boolean = () => false,
  ): Promise<Answer> {
    try {
      const answer = await request
      // The SDK takes a 4xx without an `error` for an answer.
      if (typeof answer.object !== 'string') throw new StripeError({ message: 'An answer that is no object' })
      return answer
    } catch (error) {
      throw expects(error) ? error : translate(error)
    }
  }

  /** Undefined if Stripe reports the object as missing, or refuses for the accepted reason. */
  async function orNothing<Answer extends { object: string }>(
    request: Promise<Answer>,
    isFine: (error: unknown) => boolean = isMissing,
  ): Promise<Answer | undefined> {
    return ask(request, isFine).catch((error: unknown) => {
      if (!isFine(error)) throw error
      return undefined
    })
  }

  async function all<Item extends { id?: string }>(list: Stripe.ApiListPromise<Item>): Promise<Item[]> {
    const items: Item[] = []
    try {
      for await (const item of list) items.push(item)
      return items
    } catch (error) {
      // The SDK throws a plain error for an answer that is no list.
      const fault = error instanceof StripeError ? error : new StripeError({ message: String(error) })
      throw isMissing(fault) ? fault : translate(fault)
    }
  }

  /**
   * Requests a change under an idempotency key, so two at the same time become one. Stripe keeps a key's answer for a day,
   * refusals and its own failures included: after one of those, or if someone used the key for something else, the object
   * is read again and whatever is left to do gets the next key. If it is done by then, returns nothing, or throws what the
   * caller `expects` of a key that was used for something else.
   */
  async function change<Answer extends { object: string }>(
    key: string,
    request: (options: Stripe.RequestOptions) => Promise<Answer>,
    isDone: () => Promise<boolean>,
    expects?: (error: unknown) => boolean,
  ): Promise<Answer | undefined> {
    let failures = 0
    for (let spent = 0; ; spent++) {
      try {
        return await ask(
          request({ idempotencyKey: spent === 0 ? key : `${key}-${spent}`, maxNetworkRetries: 1 }),
          (error) => isSpent(error) || (expects?.(error) ?? false),
        )
      } catch (error) {
        if (!isSpent(error)) throw error
        if (await isDone()) {
          if (isOtherUse(error) && expects?.(error)) throw error
          return undefined
        }
        if (isServerError(error) && !isReplayed(error)) failures++
        if (failures === mostFailures || spent === mostKeys) throw expects?.(error) ? error : translate(error)
      }
    }
  }

  return { sdk, ask, all, orNothing, change, translate, report }
}

/** Stripe counts in seconds, and refers to another object by its id or, when expanded, by the object itself. */
export const date = (seconds: number) => new Date(seconds * 1000)

export const dateOrNull = (seconds: number | null) => (seconds === null ? null : date(seconds))

export const idOf = (given: string | { id: string } | null | undefined) =>
  typeof given === 'string' ? given : (given?.id ?? null)

export const subscriptionOf = ({ parent }: Pick<Stripe.Invoice, 'parent'>) =>
  idOf(parent?.subscription_details?.subscription)
