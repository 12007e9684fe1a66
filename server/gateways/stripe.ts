// The value by its default name: the SDK's CommonJS form (see boot.js) has no other.
import StripeSdk from 'stripe'
import { cardCalls } from './stripe/cards.ts'
import { eventCalls } from './stripe/events.ts'
import { invoiceCalls } from './stripe/invoices.ts'
import { paymentCalls } from './stripe/payments.ts'
import { priceCalls } from './stripe/prices.ts'
import { subscriptionCalls } from './stripe/subscriptions.ts'

export type { StripeEvent } from './stripe/events.ts'
export type { Subscription } from './stripe/subscriptions.ts'
export type StripeGateway = ReturnType<typeof createStripeGateway>

/** Where Stripe is reached: its own address, or the sandbox's. */
type StripeAddress = { protocol: 'http' | 'https'; host: string; port: number }

type Options = { secretKey: string; webhookSecret: string; address?: StripeAddress }

/** All that the shop asks of Stripe. */
export function createStripeGateway({ secretKey, webhookSecret, address }: Options) {
  const stripe = new StripeSdk(secretKey, {
    maxNetworkRetries: 3,
    timeout: 10_000,
    telemetry: false,
    ...address,
  })
  const { payments, ...refunds } = paymentCalls(stripe)
  return {
    ...subscriptionCalls(stripe, payments),
    ...refunds,
    ...invoiceCalls(stripe),
    ...cardCalls(stripe),
    ...priceCalls(stripe),
    ...eventCalls(stripe, webhookSecret),
  }
}
