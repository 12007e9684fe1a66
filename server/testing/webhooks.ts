import { Stripe } from 'stripe'
import { sandboxWebhookSecret } from '../gateways/payments.ts'
import { createSecrets, loadSecretsKey } from '../security/secrets.ts'

type Place = { url: string; dataDir: string; secretsKey?: string }

/** Anyone who knows the address can post an event to the shop; only someone with the secret can sign it. */
export function createPostman({ url, dataDir, secretsKey }: Place) {
  const ours = sandboxWebhookSecret(createSecrets(loadSecretsKey(secretsKey, dataDir)))
  const now = () => Math.floor(Date.now() / 1000)

  return {
    secret: ours,

    sign: (payload: string, { secret = ours, timestamp = now(), scheme = 'v1' } = {}) =>
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
