import StripeSdk, { type Stripe } from 'stripe'
import type { Client } from './client.ts'
import { eventTypes, splitTypes } from './events.ts'

type WebhookEndpoint = { id: string; version: string | null; events: string[] }

/** Events of the webhook endpoint must use this version, too. */
export const apiVersion = StripeSdk.API_VERSION as Stripe.WebhookEndpointCreateParams.ApiVersion

const emptyFile = { data: '', name: 'empty.pdf', type: 'application/pdf' }

/** Permissions by their names in Stripe's dashboard, each with a request that needs it and changes nothing. */
const probes: [permission: string, probe: (sdk: Stripe) => Promise<unknown>][] = [
  ['Customers: write', (sdk) => sdk.customers.update('cus_none', {})],
  ['Products: write', (sdk) => sdk.products.update('prod_none', {})],
  ['Prices: write', (sdk) => sdk.prices.update('price_none', {})],
  ['Coupons: write', (sdk) => sdk.coupons.update('coupon_none', {})],
  ['Subscriptions: write', (sdk) => sdk.subscriptions.update('sub_none', {})],
  ['Invoices: write', (sdk) => sdk.invoices.voidInvoice('in_none')],
  ['Credit notes: write', (sdk) => sdk.creditNotes.update('cn_none', {})],
  ['Charges and refunds: write', (sdk) => sdk.refunds.update('re_none', {})],
  ['Payment intents: read', (sdk) => sdk.paymentIntents.retrieve('pi_none')],
  ['Setup intents: write', (sdk) => sdk.setupIntents.update('seti_none', {})],
  ['Balance: read', (sdk) => sdk.balanceTransactions.list({ limit: 1 })],
  ['Payouts: read', (sdk) => sdk.payouts.list({ limit: 1 })],
  ['Disputes: write', (sdk) => sdk.disputes.update('du_none', {})],
  ['Files: write', (sdk) => sdk.files.create({ purpose: 'dispute_evidence', file: emptyFile })],
  ['Events: read', (sdk) => sdk.events.list({ limit: 1 })],
  ['Webhook endpoints: read', (sdk) => sdk.webhookEndpoints.list({ limit: 1 })],
  ['Payment method domains: read', (sdk) => sdk.paymentMethodDomains.list({ limit: 1 })],
]

const isForbidden = (error: unknown) => error instanceof StripeSdk.errors.StripePermissionError

export const neededPermissions = probes.map(([permission]) => permission)

const startupRequest = { timeout: 5000, maxNetworkRetries: 0 }

export function accountCalls({ sdk, ask, orNothing, translate }: Client) {
  async function isProbeForbidden(probe: (sdk: Stripe) => Promise<unknown>): Promise<boolean> {
    try {
      await probe(sdk)
      return false
    } catch (error) {
      if (isForbidden(error)) return true
      if (error instanceof StripeSdk.errors.StripeInvalidRequestError) return false
      throw translate(error)
    }
  }

  async function domainOf(name: string) {
    const { data } = await ask(sdk.paymentMethodDomains.list({ domain_name: name }))
    return data[0]
  }

  return {
    /** Null if a restricted key may not read the account. */
    async id(): Promise<string | null> {
      const account = await orNothing(sdk.accounts.retrieveCurrent({}, startupRequest), isForbidden)
      return account?.id ?? null
    },

    hasPrice: async (id: string) => (await orNothing(sdk.prices.retrieve(id, {}, startupRequest))) !== undefined,

    async read() {
      const { id, business_profile: business, settings, charges_enabled } = await ask(sdk.accounts.retrieveCurrent())
      const name = business?.name ?? settings?.dashboard.display_name ?? id
      return { name, mayCharge: charges_enabled }
    },

    async missingPermissions(): Promise<string[]> {
      const areForbidden = await Promise.all(probes.map(([, probe]) => isProbeForbidden(probe)))
      return neededPermissions.filter((_permission, index) => areForbidden[index])
    },

    async webhookEndpoints(url: string): Promise<WebhookEndpoint[]> {
      const { data } = await ask(sdk.webhookEndpoints.list({ limit: 100 }))
      return data
        .filter((endpoint) => endpoint.url === url && endpoint.status === 'enabled')
        .map((endpoint) => ({ id: endpoint.id, version: endpoint.api_version, events: endpoint.enabled_events }))
    },

    /** Returns the signing secret, which Stripe reveals only here. */
    async createWebhookEndpoint(url: string): Promise<string> {
      const { secret } = await ask(
        sdk.webhookEndpoints.create({ url, api_version: apiVersion, enabled_events: webhookEvents }),
      )
      return secret ?? ''
    },

    async setWebhookEvents(id: string) {
      await ask(sdk.webhookEndpoints.update(id, { enabled_events: webhookEvents }))
    },

    async disableWebhookEndpoint(id: string) {
      await ask(sdk.webhookEndpoints.update(id, { disabled: true }))
    },

    /** Counts at most 100 events. */
    async undeliveredEvents(from: Date, to: Date): Promise<number> {
      const created = { gte: Math.floor(from.getTime() / 1000), lte: Math.floor(to.getTime() / 1000) }
      const requests = splitTypes(eventTypes).map((types) =>
        ask(sdk.events.list({ delivery_success: false, types, created, limit: 100 })),
      )
      const lists = await Promise.all(requests)
      const count = lists.reduce((sum, { data }) => sum + data.length, 0)
      return Math.min(100, count)
    },

    /** Counts only among the newest 100 paused subscriptions. */
    async countPausedUnpaid(): Promise<number> {
      const { data } = await ask(sdk.subscriptions.list({ status: 'paused', limit: 100 }))
      return data.filter(({ status_details: details }) =>
        /^(first|final)_payment_failure$/.test(details?.paused.subscription.type ?? ''),
      ).length
    },

    /** Reason why wallets do not work on this domain, null if they do; undefined if Stripe does not know the domain. */
    async walletDomain(name: string): Promise<{ fault: string | null } | undefined> {
      const domain = await domainOf(name)
      return domain && walletsOf(domain)
    },

    async ensureWalletDomain(name: string) {
      const existingDomain = await domainOf(name)
      const { id } = existingDomain
        ? await ask(sdk.paymentMethodDomains.update(existingDomain.id, { enabled: true }))
        : await ask(sdk.paymentMethodDomains.create({ domain_name: name }))
      await ask(sdk.paymentMethodDomains.validate(id))
    },
  }
}

const webhookEvents = eventTypes as Stripe.WebhookEndpointCreateParams.EnabledEvent[]

function walletsOf({ enabled: isEnabled, apple_pay: apple, google_pay: google }: Stripe.PaymentMethodDomain) {
  if (!isEnabled) return { fault: 'The domain is turned off at Stripe.' }
  const inactiveWallet = [apple, google].find(({ status }) => status !== 'active')
  if (!inactiveWallet) return { fault: null }
  return { fault: inactiveWallet.status_details?.error_message ?? 'Stripe has not verified the domain.' }
}
