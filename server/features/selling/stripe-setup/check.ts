import { dayMs } from '#contract/dates.ts'
import { exactDollars } from '#contract/money.ts'
import type { Finding } from '#contract/selling/stripe-setup.ts'
import { isLiveKey } from '#server/config/rules.ts'
import { apiVersion, eventTypes, type StripeGateway, StripeRefusal, type WantedPrice } from '#server/gateways/stripe.ts'

type Subject = Finding['about']
type SubjectCheck = [about: Subject, check: () => Promise<Finding[]>]

export type SetupOptions = {
  stripe: StripeGateway
  now: () => Date
  /** Undefined with the sandbox. */
  secretKey: string | undefined
  publicUrl: string
  /** Left out by commands without a database. */
  prices?: () => Promise<WantedPrice[]>
}

const setupCommand = '`npm run stripe -- setup`'
const joinList = (items: string[]) => new Intl.ListFormat('en-US').format(items)
const countInWords = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const ok = (about: Subject, text: string): Finding => ({ about, state: 'ok', text })
const todo = (about: Subject, text: string): Finding => ({ about, state: 'todo', text })
const note = (about: Subject, text: string): Finding => ({ about, state: 'note', text })

const priceInWords = ({ amount, interval }: WantedPrice) => `${exactDollars(amount)} per ${interval}`

const minuteMs = 60_000
/** Largest page of Stripe's event list, so a count of 100 may stand for more. */
const mostEventsCounted = 100

export function createCheck(options: SetupOptions): () => Promise<Finding[]> {
  const { stripe, secretKey, publicUrl, prices } = options
  const { hostname, isLocal } = addressOf(publicUrl)
  const isLive = isLiveKey(secretKey)

  async function checkAccount(): Promise<Finding[]> {
    const { name, mayCharge } = await stripe.account.read()
    const mode = isLive ? 'live mode: real money moves' : 'test mode: no money moves'
    return [
      mayCharge
        ? ok('Account', `${name}, in ${mode}.`)
        : todo('Account', `${name} can’t take payments yet. Finish activating it in the Stripe dashboard.`),
    ]
  }

  async function checkKey(): Promise<Finding[]> {
    const missing = await stripe.account.missingPermissions()
    if (missing.length === 0) return [ok('Key', 'The secret key has every permission the shop needs.')]
    return [todo('Key', `The secret key is missing permissions: ${joinList(missing)}.`)]
  }

  async function checkPrices(): Promise<Finding[]> {
    const expectedPrices = (await prices?.()) ?? []
    if (expectedPrices.length === 0) return []
    const findings: Finding[] = []
    for (const price of expectedPrices) {
      const fault = await stripe.prices.fault(price)
      if (fault)
        findings.push(
          todo('Prices', `${price.lookupKey} should be ${priceInWords(price)}, but ${fault}. A restart fixes it.`),
        )
    }
    if (findings.length > 0) return findings
    return [ok('Prices', `New subscribers pay ${joinList(expectedPrices.map(priceInWords))}.`)]
  }

  async function checkWallets(): Promise<Finding[]> {
    if (isLocal) return [note('Wallets', 'Apple Pay and Google Pay aren’t shown on localhost.')]
    const domain = await stripe.account.walletDomain(hostname)
    if (!domain)
      return [
        todo('Wallets', `Stripe doesn’t know ${hostname} yet, so Apple Pay isn’t shown. ${setupCommand} adds it.`),
      ]
    return domain.fault
      ? [todo('Wallets', `${hostname}: ${domain.fault}`)]
      : [ok('Wallets', `Apple Pay and Google Pay are shown on ${hostname}.`)]
  }

  const adviseOnEmails = async () => [
    note(
      'Emails',
      'Turn off Stripe’s own customer emails, or buyers get everything twice: Settings > Customer emails (payments, refunds) and Settings > Billing > Subscriptions and emails (renewals, finalized invoices and credit notes).',
    ),
  ]

  /** Advises on dashboard settings that no API call can read. */
  async function checkSettings(): Promise<Finding[]> {
    const paused = await stripe.account.countPausedUnpaid()
    const advice = note(
      'Settings',
      'Only you can see these in the dashboard. Settings > Billing > Revenue recovery: retries end within two weeks, and then the subscription is cancelled, never paused. Settings > Billing > Customer portal: off, or for cancelling only. Settings > Radar: 3-D Secure where the card requires it.',
    )
    if (paused === 0) return [advice]
    const text = `${countInWords(paused, 'subscription')}: paused because a payment failed, so nothing is collected. Turn that off under Settings > Billing > Revenue recovery, then resume them.`
    return [todo('Settings', text), advice]
  }

  const noteSandbox = async () => [
    note('Account', 'Payments go to the sandbox, so no money moves. To start selling, set your Stripe keys.'),
  ]

  /** A refused read, such as for a missing permission, doesn't stop the other checks. */
  async function runCheck(about: Subject, checkSubject: () => Promise<Finding[]>): Promise<Finding[]> {
    try {
      return await checkSubject()
    } catch (error) {
      if (!(error instanceof StripeRefusal)) throw error
      const { isOutage, status, message } = error.fault
      // An outage or an invalid key is reported once for all checks.
      if (isOutage || status === 401) throw error
      const text = `Stripe wouldn’t say: ${message}`
      return [about === 'Account' ? note(about, text) : todo(about, text)]
    }
  }

  const sandboxChecks: SubjectCheck[] = [
    ['Account', noteSandbox],
    ['Prices', checkPrices],
  ]
  const stripeChecks: SubjectCheck[] = [
    ['Account', checkAccount],
    ['Key', checkKey],
    ['Prices', checkPrices],
    ['Webhook', createWebhookCheck(options)],
    ['Wallets', checkWallets],
    ['Emails', adviseOnEmails],
    ['Settings', checkSettings],
  ]

  async function check(): Promise<Finding[]> {
    const checks = secretKey ? stripeChecks : sandboxChecks
    try {
      const findings = await Promise.all(checks.map(([about, checkSubject]) => runCheck(about, checkSubject)))
      return findings.flat()
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

function createWebhookCheck({ stripe, now, publicUrl }: SetupOptions): () => Promise<Finding[]> {
  const { webhookUrl, isLocal } = addressOf(publicUrl)

  async function checkDeliveries(): Promise<Finding[]> {
    const ago = (ms: number) => new Date(now().getTime() - ms)
    // Skips the last 10 minutes, whose events may still be on their way.
    const undelivered = await stripe.account.undeliveredEvents(ago(3 * dayMs), ago(10 * minuteMs))
    if (undelivered === 0) return []
    const eventsInWords = undelivered === mostEventsCounted ? '100 or more events' : countInWords(undelivered, 'event')
    return [
      todo(
        'Webhook',
        `${eventsInWords} from the last three days did not arrive. Check STRIPE_WEBHOOK_SECRET and the endpoint’s page at Stripe. Meanwhile, the shop asks Stripe every five minutes.`,
      ),
    ]
  }

  return async function checkWebhook(): Promise<Finding[]> {
    if (isLocal)
      return [
        note(
          'Webhook',
          `Stripe can’t reach ${publicUrl}. To try it out, run \`stripe listen --forward-to ${webhookUrl}\`.`,
        ),
      ]
    const endpoints = await stripe.account.webhookEndpoints(webhookUrl)
    const [endpoint] = endpoints
    if (!endpoint) return [todo('Webhook', `No endpoint sends events to ${webhookUrl}. ${setupCommand} creates one.`)]

    const faults: string[] = []
    if (endpoints.length > 1)
      faults.push(`${endpoints.length} endpoints send to ${webhookUrl}, each with its own secret: disable all but one`)
    if (endpoint.version !== apiVersion)
      faults.push(`its API version is ${endpoint.version ?? 'the account’s'}, but the shop expects ${apiVersion}`)
    const sendsAllEvents = endpoint.events.includes('*')
    const missingTypes = sendsAllEvents ? [] : eventTypes.filter((type) => !endpoint.events.includes(type))
    if (missingTypes.length > 0) faults.push(`it doesn’t send ${joinList(missingTypes)}`)
    if (faults.length > 0)
      return faults.map((fault) => todo('Webhook', `${capitalize(fault)}. ${setupCommand} fixes it.`))

    return [ok('Webhook', `Events go to ${webhookUrl}.`), ...(await checkDeliveries())]
  }
}

export function addressOf(publicUrl: string) {
  const { hostname } = new URL(publicUrl)
  const isLocal = /^(localhost|127\.|\[::1\])/.test(hostname)
  return { webhookUrl: `${publicUrl}/api/webhooks/stripe`, hostname, isLocal }
}
