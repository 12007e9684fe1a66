import { Counter } from 'prom-client'
import StripeSdk from 'stripe'
import { accountCalls } from './stripe/account.ts'
import type { Invoicing } from './stripe/amounts.ts'
import { balanceCalls } from './stripe/balance.ts'
import { createClient, type StripeFault } from './stripe/client.ts'
import { closableHttpClient } from './stripe/closable-http-client.ts'
import { customerCalls } from './stripe/customers.ts'
import { disputeCalls } from './stripe/disputes.ts'
import { eventCalls } from './stripe/events.ts'
import { existingSubscriptionCalls } from './stripe/existing-subscriptions.ts'
import { historyReader } from './stripe/history.ts'
import { invoiceCalls } from './stripe/invoices.ts'
import { newSubscriptionCalls } from './stripe/new-subscriptions.ts'
import { paymentCalls } from './stripe/payments.ts'
import { planSwitchCalls } from './stripe/plan-switches.ts'
import { couponCalls, priceCalls } from './stripe/prices.ts'
import { subscriptionCalls } from './stripe/subscriptions.ts'

export { apiVersion } from './stripe/account.ts'
export type { BuyerPlace as Place, Tax } from './stripe/amounts.ts'
export type { BalanceTransaction, Payout } from './stripe/balance.ts'
export { isUnknownToStripe, type StripeFault, StripeRefusal } from './stripe/client.ts'
export { eventTypes, type StripeEvent } from './stripe/events.ts'
export type { ExistingSubscription } from './stripe/existing-subscriptions.ts'
export type { PaidPeriod, Payment, Refund } from './stripe/history.ts'
export type { RefundNotes } from './stripe/payments.ts'
export type { WantedPrice } from './stripe/prices.ts'
export type { Subscription } from './stripe/subscriptions.ts'
export type StripeGateway = ReturnType<typeof createStripeGateway>

export type StripeAddress = { protocol: 'http' | 'https'; host: string; port: number }

type Options = {
  secretKey: string
  webhookSecret: string
  address?: StripeAddress | undefined
  /** While false, every request is answered with 503 and none is sent. */
  maySend?: () => boolean
  invoices?: Invoicing
  /** Called with every fault at Stripe that a buyer cannot fix. */
  report?: (fault: StripeFault) => void
}

export function createStripeGateway({
  secretKey,
  webhookSecret,
  address,
  maySend,
  invoices = { footer: '', automaticTax: false },
  report = () => {},
}: Options) {
  const faults = new Counter({
    name: 'shop_stripe_faults_total',
    help: 'Requests that Stripe refused or failed, with no buyer to blame.',
    labelNames: ['type'],
    registers: [],
  })
  const httpClientOption = maySend && { httpClient: closableHttpClient(maySend) }
  const sdk = new StripeSdk(secretKey, {
    maxNetworkRetries: 3,
    timeout: 10_000,
    telemetry: false,
    ...address,
    ...httpClientOption,
  })
  const client = createClient(sdk, (fault) => {
    faults.inc({ type: fault.type })
    report(fault)
  })
  const payments = paymentCalls(client)
  return {
    customers: customerCalls(client, invoices),
    newSubscriptions: newSubscriptionCalls(client, invoices),
    subscriptions: subscriptionCalls(client, historyReader(client), invoices),
    planSwitches: planSwitchCalls(client, invoices),
    existing: existingSubscriptionCalls(client),
    payments,
    invoices: invoiceCalls(client, payments.hasPaid),
    prices: priceCalls(client, invoices),
    coupons: couponCalls(client),
    account: accountCalls(client),
    balance: balanceCalls(client),
    disputes: disputeCalls(client),
    events: eventCalls(client, webhookSecret),
    faults,
  }
}
