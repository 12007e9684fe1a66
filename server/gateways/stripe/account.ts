import StripeSdk, { type Stripe } from 'stripe'
import type { Client } from './client.ts'
import { eventTypes, inLists } from './events.ts'

type WebhookEndpoint = { id: string; version: string | null; events: string[] }

/** The Stripe API version that the shop speaks, and that its events must use. */
export const apiVersion = StripeSdk.API_VERSION as Stripe.WebhookEndpointCreateParams.ApiVersion

const emptyFile = { data: '', name: 'empty.pdf', type: 'application/pdf' }

/** Permissions by their names in Stripe's dashboard, each with a request that fails even with the permission. */
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

/** Called at the start of the shop. */
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
    /** Null if a restricted key may not read it. */
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
      const refused = await Promise.all(probes.map(([, probe]) => isProbeForbidden(probe)))
      return neededPermissions.filter((_permission, place) => refused[place])
    },

    /** The enabled endpoints that send to this address. */
    async webhookEndpoints(url: string): Promise<WebhookEndpoint[]> {
      const { data } = await ask(sdk.webhookEndpoints.list({ limit: 100 }))
      return data
        .filter((endpoint) => endpoint.url === url && endpoint.status === 'enabled')
        .map(({ id, api_version: version, enabled_events: sent }) => ({ id, version, events: sent }))
    },

    /** Returns the signing secret, which Stripe reveals only here. */
    async createWebhookEndpoint(url: string): Promise<string> {
      const { secret } = await ask(
        sdk.webhookEndpoints.create({ url, api_version: apiVersion, enabled_events: enabled }),
      )
      return secret ?? ''
    },

    async setWebhookEvents(id: string) {
      await ask(sdk.webhookEndpoints.update(id, { enabled_events: enabled }))
    },

    async disableWebhookEndpoint(id: string) {
      await ask(sdk.webhookEndpoints.update(id, { disabled: true }))
    },

    /** Number of undelivered or pending events in that time, at most 100. */
    async undeliveredEvents(from: Date, to: Date): Promise<number> {
      const [gte = 0, lte = 0] = [from, to].map((date) => Math.floor(date.getTime() / 1000))
      const created = { gte, lte }
      const lists = inLists(eventTypes).map((types) =>
        ask(sdk.events.list({ delivery_success: false, types, created, limit: 100 })),
      )
      return Math.min(
        100,
        (await Promise.all(lists)).reduce((sum, { data }) => sum + data.length, 0),
      )
    },

    /** Looks at the newest 100. */
    async countPausedUnpaid(): Promise<number> {
      const { data } = await ask(sdk.subscriptions.list({ status: 'paused', limit: 100 }))
      return data.filter(({ status_details: details }) =>
        /^(first|final)_payment_failure$/.test(details?.paused.subscription.type ?? ''),
      ).length
    },

    /** State of wallets on this domain with the reason; undefined if Stripe does not know the domain. */
    async walletDomain(name: string): Promise<{ fault: string | null } | undefined> {
      const found = await domainOf(name)
      return found && walletsOf(found)
    },

    /** Apple and Google check the domain themselves when Stripe asks them to. */
    async ensureWalletDomain(name: string) {
      const known = await domainOf(name)
      const { id } = known
        ? await ask(sdk.paymentMethodDomains.update(known.id, { enabled: true }))
        : await ask(sdk.paymentMethodDomains.create({ domain_name: name }))
      await ask(sdk.paymentMethodDomains.validate(id))
    },
  }
}

const enabled = eventTypes as Stripe.WebhookEndpointCreateParams.EnabledEvent[]

function walletsOf({ enabled: isEnabled, apple_pay: apple, google_pay: google }: Stripe.PaymentMethodDomain) {
  if (!isEnabled) return { fault: 'The domain is turned off at Stripe.' }
  const off = [apple, google].find(({ status }) => status !== 'active')
  return { fault: off ? (off.status_details?.error_message ?? 'Stripe has not verified the domain.') : null }
}
