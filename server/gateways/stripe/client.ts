import StripeSdk, { type Stripe } from 'stripe'
import { declineSentence } from '#contract/selling/declines.ts'
import { Refusal } from '../../errors.ts'

/** Failed request that no buyer can fix: a wrong key, a missing permission, an invalid request, an outage. */
export type StripeFault = {
  /** Name of the SDK's error, such as StripeAuthenticationError. */
  type: string
  status: number | undefined
  code: string | undefined
  message: string
  /** Finds the request in Stripe's dashboard. */
  requestId: string | undefined
  isOutage: boolean
}

/** Stripe's own message is only in `fault`, for the log and the seller. */
export class StripeRefusal extends Refusal {
  readonly fault: StripeFault
  constructor(fault: StripeFault, retryAfterSeconds: number) {
    if (fault.isOutage) super(503, 'payments-away', outageMessage, { retryAfterSeconds })
    else super(502, 'payments-broken', faultMessage)
    this.fault = fault
  }
}

/** True if Stripe reports the object as missing: it is deleted or belongs to another account. */
export const isUnknownToStripe = (error: unknown) =>
  error instanceof StripeRefusal && error.fault.code === 'resource_missing'

export type Client = ReturnType<typeof createClient>

const { StripeCardError, StripeConnectionError, StripeError, StripeIdempotencyError, StripeInvalidRequestError } =
  StripeSdk.errors

const outageMessage = 'The payment service isn’t answering right now. Please try again in a moment.'
const faultMessage = 'Something went wrong with our payment service. Please try again later or contact support.'

/** 409 means that an idempotency key is in use. */
const isTemporary = (status: number | undefined) => status === 409 || status === 429 || (status ?? 0) >= 500

export const isRefused = (error: unknown, { code, param }: { code?: string; param?: string } = {}) =>
  error instanceof StripeInvalidRequestError &&
  (code === undefined || error.code === code) &&
  (param === undefined || error.param === param)

/** True if another request has used the idempotency key with other parameters. */
export const isKeyConflict = (error: unknown) => error instanceof StripeIdempotencyError

const isServerError = (error: unknown) => error instanceof StripeError && (error.statusCode ?? 0) >= 500

const isReplayed = (error: unknown) =>
  error instanceof StripeError &&
  error.headers?.['idempotent-replayed'] === 'true' &&
  !(error instanceof StripeCardError)

/** True if the next attempt needs another idempotency key, because this one cannot bring a new answer. */
const isKeySpent = (error: unknown) => isKeyConflict(error) || isServerError(error) || isReplayed(error)
const maxServerErrors = 3
/** Stripe keeps a refusal under its key for a day, so several keys may be spent. */
const maxSpentKeys = 20

export const isMissing = (error: unknown) => isRefused(error, { code: 'resource_missing' })

export const needsBuyer = (error: unknown) =>
  error instanceof StripeError && error.code === 'invoice_payment_intent_requires_action'

export function createClient(sdk: Stripe, report: (fault: StripeFault) => void) {
  /** Visitors must not see Stripe's message. */
  function translate(error: unknown): unknown {
    if (!(error instanceof StripeError)) return error
    if (error instanceof StripeCardError) return new Refusal(402, 'card-declined', declineSentence(error))
    const { type, statusCode: status, code, message, requestId, headers } = error
    const isOutage = error instanceof StripeConnectionError || isTemporary(status)
    const fault = { type, status, code, message, requestId, isOutage }
    report(fault)
    return new StripeRefusal(fault, Number(headers?.['retry-after']) || 5)
  }

  /** Rethrows errors that the caller `expects` unchanged, and translates all others. */
  async function ask<Answer extends { object: string }>(
    request: Promise<Answer>,
    expects: (error: unknown) => boolean = () => false,
  ): Promise<Answer> {
    try {
      const answer = await request
      // The SDK returns a 4xx response without `error` as if it were an answer.
      if (typeof answer.object !== 'string') throw new StripeError({ message: 'An answer that is no object' })
      return answer
    } catch (error) {
      throw expects(error) ? error : translate(error)
    }
  }

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
   * Stripe keeps the answer of an idempotency key for a day, even a refusal or a server error. If `isDone` then finds the
   * change unfinished, it is repeated under the next key; otherwise the result is undefined.
   */
  async function change<Answer extends { object: string }>(
    key: string,
    request: (options: Stripe.RequestOptions) => Promise<Answer>,
    isDone: () => Promise<boolean>,
    expects: (error: unknown) => boolean = () => false,
  ): Promise<Answer | undefined> {
    let serverErrors = 0
    for (let spentKeys = 0; ; spentKeys++) {
      const idempotencyKey = spentKeys === 0 ? key : `${key}-${spentKeys}`
      try {
        return await ask(
          request({ idempotencyKey, maxNetworkRetries: 1 }),
          (error) => isKeySpent(error) || expects(error),
        )
      } catch (error) {
        if (!isKeySpent(error)) throw error
        if (await isDone()) {
          // Another request made a different change under this key.
          if (isKeyConflict(error) && expects(error)) throw error
          return undefined
        }
        const isNewServerError = isServerError(error) && !isReplayed(error)
        if (isNewServerError) serverErrors++
        if (serverErrors === maxServerErrors || spentKeys === maxSpentKeys)
          throw expects(error) ? error : translate(error)
      }
    }
  }

  return { sdk, ask, all, orNothing, change, translate, report }
}

export const date = (seconds: number) => new Date(seconds * 1000)

export const dateOrNull = (seconds: number | null) => (seconds === null ? null : date(seconds))

/** Stripe sends a reference as an id or, if expanded, as the object. */
export const idOf = (reference: string | { id: string } | null | undefined) =>
  typeof reference === 'string' ? reference : (reference?.id ?? null)

export const subscriptionOf = ({ parent }: Pick<Stripe.Invoice, 'parent'>) =>
  idOf(parent?.subscription_details?.subscription)
