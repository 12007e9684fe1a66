import type { FastifyInstance } from 'fastify'
import { Refusal } from '../errors.ts'
import type { StripeEvent } from '../gateways/stripe.ts'

type Inbox = {
  read(body: Buffer, signature: string): StripeEvent
  receive(event: StripeEvent): Promise<void>
}

const bodyLimit = 1024 * 1024

/** Stripe's own call. Its signature covers the raw bytes, so they are not parsed before it is checked. */
export async function mountWebhook(app: FastifyInstance, { read, receive }: Inbox) {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.route({
      method: 'POST',
      url: '/api/webhooks/stripe',
      bodyLimit,
      config: { perMinute: false },
      handler: async ({ body, headers: { 'stripe-signature': signature } }) => {
        await receive(readSigned(body, signature))
        return { received: true }
      },
    })
  })

  function readSigned(body: unknown, signature: string | string[] | undefined): StripeEvent {
    if (Buffer.isBuffer(body) && typeof signature === 'string')
      try {
        return read(body, signature)
      } catch {}
    throw new Refusal(400, 'not-signed', 'This event is not signed by Stripe')
  }
}
