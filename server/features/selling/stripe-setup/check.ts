import { exactDollars } from '#contract/money.ts'
import type { Finding } from '#contract/selling/stripe-setup.ts'
import { isLiveKey } from '#server/config/rules.ts'
import { apiVersion, eventTypes, type StripeGateway, StripeRefusal, type WantedPrice } from '#server/gateways/stripe.ts'

type About = Finding['about']

export type SetupOptions = {
  stripe: StripeGateway
  now: () => Date
  /** Undefined with the sandbox. */
  secretKey: string | undefined
  publicUrl: string
  /** Expected prices; left out by commands without a database. */
  prices?: () => Promise<WantedPrice[]>
}

const command = '`npm run stripe -- setup`'
const list = (items: string[]) => new Intl.ListFormat('en-US').format(items)
const count = (many: number, what: string) => `${many} ${what}${many === 1 ? '' : 's'}`
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const ok = (about: About, text: string): Finding => ({ about, state: 'ok', text })
const todo = (about: About, text: string): Finding => ({ about, state: 'todo', text })
const note = (about: About, text: string): Finding => ({ about, state: 'note', text })

const inWords = ({ amount, interval }: WantedPrice) => `${exactDollars(amount)} per ${interval}`

const minute = 60_000
const day = 1440 * minute

export function createCheck(options: SetupOptions): () => Promise<Finding[]> {
  const { stripe, secretKey, publicUrl, prices } = options
  const { hostname, isLocal } = addressOf(publicUrl)
  const isLive = isLiveKey(secretKey)

  async function account(): Promise<Finding[]> {
    const { name, mayCharge } = await stripe.account.read()
    const mode = isLive ? 'live mode: real money moves' : 'test mode: no money moves'
    return [
      mayCharge
        ? ok('Account', `${name}, in ${mode}.`)
        : todo('Account', `${name} can’t take payments yet. Finish activating it in the Stripe dashboard.`),
    ]
  }

  async function key(): Promise<Finding[]> {
    const missing = await stripe.account.missingPermissions()
    if (missing.length === 0) return [ok('Key', 'The secret key has every permission the shop needs.')]
    return [todo('Key', `The secret key is missing permissions: ${list(missing)}.`)]
  }

  async function priceList(): Promise<Finding[]> {
    const faults = []
    const expectedPrices = (await prices?.()) ?? []
    if (expectedPrices.length === 0) return []
    for (const price of expectedPrices) {
      const fault = await stripe.prices.fault(price)
      if (fault)
        faults.push(todo('Prices', `${price.lookupKey} should be ${inWords(price)}, but ${fault}. A restart fixes it.`))
    }
    const all = list(expectedPrices.map(inWords))
    return faults.length > 0 ? faults : [ok('Prices', `New subscribers pay ${all}.`)]
  }

  async function wallets(): Promise<Finding[]> {
    if (isLocal) return [note('Wallets', 'Apple Pay and Google Pay aren’t shown on localhost.')]
    const domain = await stripe.account.walletDomain(hostname)
    if (!domain)
      return [todo('Wallets', `Stripe doesn’t know ${hostname} yet, so Apple Pay isn’t shown. ${command} adds it.`)]
    return domain.fault
      ? [todo('Wallets', `${hostname}: ${domain.fault}`)]
      : [ok('Wallets', `Apple Pay and Google Pay are shown on ${hostname}.`)]
  }

  const emails = async () => [
    note(
      'Emails',
      'Turn off Stripe’s own customer emails, or buyers get everything twice: Settings > Customer emails (payments, refunds) and Settings > Billing > Subscriptions and emails (renewals, finalized invoices and credit notes).',
    ),
  ]

  /** Dashboard settings that no call reads. */
  async function settings(): Promise<Finding[]> {
    const paused = await stripe.account.countPausedUnpaid()
    const advice = note(
      'Settings',
      'Only you can see these in the dashboard. Settings > Billing > Revenue recovery: retries end within two weeks, and then the subscription is cancelled, never paused. Settings > Billing > Customer portal: off, or for cancelling only. Settings > Radar: 3-D Secure where the card requires it.',
    )
    if (paused === 0) return [advice]
    const text = `${count(paused, 'subscription')}: paused because a payment failed, so nothing is collected. Turn that off under Settings > Billing > Revenue recovery, then resume them.`
    return [todo('Settings', text), advice]
  }

  const sandbox = async () => [
    note('Account', 'Payments go to the sandbox, so no money moves. To start selling, set your Stripe keys.'),
  ]

  /** Reports a part that the key can't read, and checks the others. */
  async function look(about: About, part: () => Promise<Finding[]>): Promise<Finding[]> {
    try {
      return await part()
    } catch (error) {
      if (!(error instanceof StripeRefusal)) throw error
      const { isOutage, status, message } = error.fault
      // An outage or an invalid key is reported once for all parts.
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
          ['Webhook', createWebhookCheck(options)],
          ['Wallets', wallets],
          ['Emails', emails],
          ['Settings', settings],
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
        todo('Key', isOutage ? `Stripe isn’t answering: ${message}` : `Stripe doesn’t accept the key: ${message}`),
      ]
    }
  }

  return check
}

/** Checks that the needed events reach the shop in its API version. */
function createWebhookCheck({ stripe, now, publicUrl }: SetupOptions): () => Promise<Finding[]> {
  const { webhookUrl, isLocal } = addressOf(publicUrl)

  async function deliveries(): Promise<Finding[]> {
    const ago = (time: number) => new Date(now().getTime() - time)
    // Skips events that may still be on their way.
    const undelivered = await stripe.account.undeliveredEvents(ago(3 * day), ago(10 * minute))
    if (undelivered === 0) return []
    const many = undelivered === 100 ? '100 or more events' : count(undelivered, 'event')
    return [
      todo(
        'Webhook',
        `${many} from the last three days did not arrive. Check STRIPE_WEBHOOK_SECRET and the endpoint’s page at Stripe. Meanwhile, the shop asks Stripe every five minutes.`,
      ),
    ]
  }

  return async function webhook(): Promise<Finding[]> {
    if (isLocal)
      return [
        note(
          'Webhook',
          `Stripe can’t reach ${publicUrl}. To try it out, run \`stripe listen --forward-to ${webhookUrl}\`.`,
        ),
      ]
    const [ours, ...others] = await stripe.account.webhookEndpoints(webhookUrl)
    if (!ours) return [todo('Webhook', `No endpoint sends events to ${webhookUrl}. ${command} creates one.`)]
    const faults = []
    if (others.length > 0)
      faults.push(
        `${count(others.length + 1, 'endpoint')} send to ${webhookUrl}, each with its own secret: disable all but one`,
      )
    if (ours.version !== apiVersion)
      faults.push(`its API version is ${ours.version ?? 'the account’s'}, but the shop expects ${apiVersion}`)
    const missing = eventTypes.filter((type) => !ours.events.includes(type) && !ours.events.includes('*'))
    if (missing.length > 0) faults.push(`it doesn’t send ${list(missing)}`)
    return faults.length > 0
      ? faults.map((fault) => todo('Webhook', `${capital(fault)}. ${command} fixes it.`))
      : [ok('Webhook', `Events go to ${webhookUrl}.`), ...(await deliveries())]
  }
}

export function addressOf(publicUrl: string) {
  const { hostname } = new URL(publicUrl)
  const isLocal = /^(localhost|127\.|\[::1\])/.test(hostname)
  return { webhookUrl: `${publicUrl}/api/webhooks/stripe`, hostname, isLocal }
}
