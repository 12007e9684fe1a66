import type { Finding } from '#contract/selling/stripe-setup.ts'
import { type StripeGateway, StripeRefusal, type WantedPrice } from '#server/gateways/stripe.ts'
import { createWebhookCheck } from './check-webhook.ts'
import { type About, addressOf, command, inWords, list, note, ok, todo } from './findings.ts'

export type Dependencies = {
  stripe: StripeGateway
  now: () => Date
  /** Undefined when the sandbox stands in for Stripe. */
  secretKey: string | undefined
  publicUrl: string
  /** The events the shop listens to. */
  events: string[]
  prices: WantedPrice[]
}

/** Checks everything a seller has to set up at Stripe and reports it in plain English. */
export function createCheck(deps: Dependencies) {
  const { stripe, secretKey, publicUrl, prices } = deps
  const { hostname, isLocal } = addressOf(publicUrl)
  const isLive = /^[a-z]+_live_/.test(secretKey ?? '')

  async function account(): Promise<Finding[]> {
    const { name, mayCharge } = await stripe.account()
    const mode = isLive ? 'live mode: real money moves' : 'test mode: no money moves'
    return [
      mayCharge
        ? ok('Account', `${name}, in ${mode}.`)
        : todo('Account', `${name} can’t take payments yet. Finish activating it in the Stripe dashboard.`),
    ]
  }

  async function key(): Promise<Finding[]> {
    const missing = await stripe.missingPermissions()
    if (missing.length === 0) return [ok('Key', 'The secret key has every permission the shop needs.')]
    return [todo('Key', `The secret key is missing permissions: ${list(missing)}.`)]
  }

  async function priceList(): Promise<Finding[]> {
    const faults = []
    for (const price of prices) {
      const fault = await stripe.priceFault(price)
      if (fault)
        faults.push(
          todo(
            'Prices',
            `${price.lookupKey} should be ${inWords(price)}, but ${fault}. A restart or ${command} fixes it.`,
          ),
        )
    }
    const all = list(prices.map(inWords))
    return faults.length > 0 ? faults : [ok('Prices', `New subscribers pay ${all}.`)]
  }

  async function wallets(): Promise<Finding[]> {
    if (isLocal) return [note('Wallets', 'Apple Pay and Google Pay aren’t shown on localhost.')]
    const domain = await stripe.walletDomain(hostname)
    if (!domain)
      return [
        todo('Wallets', `Stripe doesn’t know ${hostname} yet, so Apple Pay isn’t shown. ${command} adds it.`),
      ]
    return domain.fault
      ? [todo('Wallets', `${hostname}: ${domain.fault}`)]
      : [ok('Wallets', `Apple Pay and Google Pay are shown on ${hostname}.`)]
  }

  const emails = async () => [
    note(
      'Emails',
      'Turn off Stripe’s own customer emails, or buyers get everything twice: Settings > Customer emails (payments, refunds) and Settings > Billing > Subscriptions and emails.',
    ),
  ]

  const sandbox = async () => [
    note('Account', 'Payments go to the sandbox, so no money moves. To start selling, set your Stripe keys.'),
  ]

  /** A part the key can't see says so; the others are checked anyway. */
  async function look(about: About, part: () => Promise<Finding[]>): Promise<Finding[]> {
    try {
      return await part()
    } catch (error) {
      if (!(error instanceof StripeRefusal)) throw error
      const { isOutage, status, message } = error.fault
      // Then nothing can be checked at all, so it's reported once for the whole.
      if (isOutage || status === 401) throw error
      return [(about === 'Account' ? note : todo)(about, `Stripe wouldn’t say: ${message}`)]
    }
  }

  async function check(): Promise<Finding[]> {
    const parts: [About, () => Promise<Finding[]>][] = secretKey
      ? [
          ['Account', account],
          ['Key', key],
          ['Prices', priceList],
          ['Webhook', createWebhookCheck(deps)],
          ['Wallets', wallets],
          ['Emails', emails],
        ]
      : [
          ['Account', sandbox],
          ['Prices', priceList],
        ]
    try {
      return (await Promise.all(parts.map(([about, part]) => look(about, part)))).flat()
    } catch (error) {
      if (!(error instanceof StripeRefusal)) throw error
      const { isOutage, message } = error.fault
      return [
        todo(
          'Key',
          isOutage ? `Stripe isn’t answering: ${message}` : `Stripe doesn’t accept the key: ${message}`,
        ),
      ]
    }
  }

  return check
}
