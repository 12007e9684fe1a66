// Imported as the default export: the SDK's CommonJS form (see boot.js) has no other.
import StripeSdk from 'stripe'
import { accountCalls } from './stripe/account.ts'
import { createClient, type StripeFault } from './stripe/answers.ts'
import { cardCalls } from './stripe/cards.ts'
import { customerCalls } from './stripe/customers.ts'
import { eventCalls } from './stripe/events.ts'
import { invoiceCalls } from './stripe/invoices.ts'
import { paymentCalls } from './stripe/payments.ts'
import { priceCalls } from './stripe/prices.ts'
import { subscriptionCalls } from './stripe/subscriptions.ts'

export { apiVersion } from './stripe/account.ts'
export { type StripeFault, StripeRefusal } from './stripe/answers.ts'
export type { StripeEvent } from './stripe/events.ts'
export type { WantedPrice } from './stripe/prices.ts'
export type { Subscription } from './stripe/subscriptions.ts'
export type StripeGateway = ReturnType<typeof createStripeGateway>

/** Where to reach Stripe: its own address, or the sandbox's. */
type StripeAddress = { protocol: 'http' | 'https'; host: string; port: number }

type Options = {
  secretKey: string
  webhookSecret: string
  address?: StripeAddress
  /** Told of everything Stripe would not do that no buyer can fix. */
  report?: (fault: StripeFault) => void
}

/** Everything the shop asks of Stripe. */
export function createStripeGateway({ secretKey, webhookSecret, address, report = () => {} }: Options) {
  const faults = new Map<string, number>()
  const sdk = new StripeSdk(secretKey, {
    maxNetworkRetries: 3,
    timeout: 10_000,
    telemetry: false,
    ...address,
  })
  const client = createClient(sdk, (fault) => {
    faults.set(fault.type, (faults.get(fault.type) ?? 0) + 1)
    report(fault)
  })
  const { payments, ...refunds } = paymentCalls(client)
  return {
    ...customerCalls(client),
    ...subscriptionCalls(client, payments),
    ...refunds,
    ...invoiceCalls(client, refunds.hasPaid),
    ...cardCalls(client),
    ...priceCalls(client),
    ...accountCalls(client),
    ...eventCalls(client, webhookSecret),
    /** How often Stripe has failed us so far, by kind of fault. */
    faults: faults as ReadonlyMap<string, number>,
  }
}
