import type { Logger } from 'pino'
import type { Finding } from '#contract/selling/stripe-setup.ts'
import { apiVersion, eventTypes } from '#server/gateways/stripe.ts'
import { addressOf, createCheck, type SetupOptions } from './check.ts'

export type StripeSetup = {
  check(): Promise<Finding[]>
  /** Logs what is missing at Stripe, because an upgrade may need more than was set up. */
  warn(): Promise<void>
  /** Creates what is missing, except prices. Idempotent. Stripe shows an endpoint's secret only when it is created. */
  setup(): Promise<{ done: string[]; webhookSecret: string | undefined }>
}

export function createStripeSetup(options: SetupOptions & { log: Pick<Logger, 'warn'> }): StripeSetup {
  const { stripe, log, publicUrl } = options
  const { webhookUrl, hostname, isLocal } = addressOf(publicUrl)
  const check = createCheck(options)

  /** Stripe can't change an endpoint's API version, so another version needs a new endpoint. */
  async function ensureWebhook() {
    const endpoints = await stripe.account.webhookEndpoints(webhookUrl)
    const current = endpoints.find(({ version }) => version === apiVersion)
    const done = []
    let webhookSecret: string | undefined
    if (!current) {
      webhookSecret = await stripe.account.createWebhookEndpoint(webhookUrl)
      done.push(`Webhook endpoint ${webhookUrl}`)
    } else if (!hasSameItems(current.events, eventTypes)) {
      await stripe.account.setWebhookEvents(current.id)
      done.push('Events of the webhook endpoint')
    }
    for (const { id } of endpoints.filter((endpoint) => endpoint !== current)) {
      await stripe.account.disableWebhookEndpoint(id)
      done.push(`Disabled the endpoint ${id} for the same address`)
    }
    return { done, webhookSecret }
  }

  async function ensureWallets(): Promise<string[]> {
    const domain = await stripe.account.walletDomain(hostname)
    if (domain && !domain.fault) return []
    await stripe.account.ensureWalletDomain(hostname)
    return [`Domain ${hostname} for Apple Pay and Google Pay`]
  }

  return {
    check,

    async warn() {
      const findings = await check()
      for (const { about, state, text } of findings) if (state === 'todo') log.warn(`Stripe, ${about}: ${text}`)
    },

    async setup() {
      if (isLocal) return { done: [], webhookSecret: undefined }
      const { done, webhookSecret } = await ensureWebhook()
      return { done: [...done, ...(await ensureWallets())], webhookSecret }
    },
  }
}

const hasSameItems = (a: string[], b: string[]) => a.toSorted().join() === b.toSorted().join()
