import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { Stripe } from 'stripe'
import type { Database } from '../database/connect.ts'
import { sandboxWebhookSecret } from '../gateways/payments.ts'
import { createSecrets, loadSecretsKey } from '../security/secrets.ts'

type WebhookTarget = { url: string; dataDir: string; secretsKey?: string }

export function createPostman({ url, dataDir, secretsKey }: WebhookTarget) {
  const shopSecret = sandboxWebhookSecret(createSecrets(loadSecretsKey(secretsKey, dataDir)))
  const now = () => Math.floor(Date.now() / 1000)

  return {
    secret: shopSecret,

    sign: (payload: string, { secret = shopSecret, timestamp = now(), scheme = 'v1' } = {}) =>
      Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp, scheme }),

    post: (body: string, signature?: string) =>
      fetch(`${url}/api/webhooks/stripe`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(signature === undefined ? {} : { 'stripe-signature': signature }),
        },
        body,
      }),
  }
}

/** Body of a webhook about the subscription as Stripe has it now. */
export async function subscriptionEvent(
  db: Database,
  subscriptionId: string,
  options: { type?: string; changes?: object } = {},
) {
  const { type = 'customer.subscription.updated', changes = {} } = options
  const { rows } = await db.execute<{ data: object }>(
    sql`select data - '$sandbox' as data from sandbox.objects where kind = 'subscription' and id = ${subscriptionId}`,
  )
  return JSON.stringify({
    id: `evt_${randomUUID().replaceAll('-', '')}`,
    object: 'event',
    api_version: Stripe.API_VERSION,
    created: Math.floor(Date.now() / 1000),
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
    data: { object: { ...rows[0]?.data, ...changes } },
  })
}
