import StripeSdk from 'stripe'
import { Refusal } from '../../errors.ts'

/** Waits for an answer. An outage becomes a refusal that says so; a card's refusal becomes the bank's words. */
export async function ask<Answer extends { object: string }>(request: Promise<Answer>): Promise<Answer> {
  try {
    const answer = await request
    // The SDK takes a 4xx without an `error` for an answer.
    if (typeof answer.object !== 'string') throw new Refusal(503, unavailable)
    return answer
  } catch (error) {
    if (
      error instanceof StripeSdk.errors.StripeCardError &&
      error.code !== 'invoice_payment_intent_requires_action'
    )
      throw new Refusal(402, error.message)
    if (error instanceof StripeSdk.errors.StripeConnectionError || isOutage(error))
      throw new Refusal(503, unavailable, { retryAfterSeconds: 5 })
    throw error
  }
}

const unavailable = 'The payment service does not answer at the moment. Please try again.'

const isOutage = (error: unknown) =>
  error instanceof StripeSdk.errors.StripeError &&
  ((error.statusCode ?? 0) >= 500 || error.statusCode === 429)

/** Whether Stripe refused the request with this code. */
export const isRefused = (error: unknown, code: string) =>
  error instanceof StripeSdk.errors.StripeInvalidRequestError && error.code === code

export async function orMissing<Answer>(request: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await request
  } catch (error) {
    if (isRefused(error, 'resource_missing')) return undefined
    throw error
  }
}
