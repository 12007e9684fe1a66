import type { Finding } from '#contract/selling/stripe-setup.ts'
import { apiVersion, type StripeGateway } from '#server/gateways/stripe.ts'
import { addressOf, capital, command, count, list, note, ok, todo } from './findings.ts'

type Dependencies = { stripe: StripeGateway; now: () => Date; publicUrl: string; events: string[] }

const day = 86_400_000

/** Whether Stripe's events reach the shop, the ones it needs, in the version it understands. */
export function createWebhookCheck({ stripe, now, publicUrl, events }: Dependencies) {
  const { webhookUrl, isLocal } = addressOf(publicUrl)

  async function deliveries(): Promise<Finding[]> {
    const late = await stripe.undeliveredEvents(events, new Date(now().getTime() - 3 * day))
    if (late.length === 0) return []
    const many = late.length === 100 ? '100 or more events' : count(late, 'event')
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
    const [ours, ...others] = await stripe.webhookEndpoints(webhookUrl)
    if (!ours) return [todo('Webhook', `No endpoint sends events to ${webhookUrl}. ${command} creates one.`)]
    const faults = []
    if (others.length > 0)
      faults.push(
        `${count([ours, ...others], 'endpoint')} send to ${webhookUrl}, each with its own secret: disable all but one`,
      )
    if (ours.version !== apiVersion)
      faults.push(`its API version is ${ours.version ?? 'the account’s'}, but the shop expects ${apiVersion}`)
    const missing = events.filter((type) => !ours.events.includes(type) && !ours.events.includes('*'))
    if (missing.length > 0) faults.push(`it doesn’t send ${list(missing)}`)
    return faults.length > 0
      ? faults.map((fault) => todo('Webhook', `${capital(fault)}. ${command} fixes it.`))
      : [ok('Webhook', `Events go to ${webhookUrl}.`), ...(await deliveries())]
  }
}
