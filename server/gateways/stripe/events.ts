import type { Stripe } from 'stripe'
import { type Client, idOf, subscriptionOf } from './client.ts'

/** An event names only the object that changed; its state is read from Stripe. */
export type StripeEvent = {
  id: string
  type: string
  subscriptionId: string | null
  customerId: string | null
  paymentIntentId: string | null
}

export const eventTypes = [
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.payment_action_required',
  'invoice.finalization_failed',
  'invoice.marked_uncollectible',
  'invoice.voided',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'charge.refunded',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'radar.early_fraud_warning.created',
  'customer.updated',
  'customer.discount.created',
  'customer.discount.updated',
  'customer.discount.deleted',
  'payment_method.automatically_updated',
  'payment_method.updated',
  'payment_method.detached',
]

/** Stripe accepts at most 20 types in a request for events. */
const maxTypes = 20
export const splitTypes = (types: string[]) =>
  Array.from({ length: Math.ceil(types.length / maxTypes) }, (_, index) =>
    types.slice(index * maxTypes, (index + 1) * maxTypes),
  )

export function eventCalls({ sdk, translate }: Client, webhookSecret: string) {
  return {
    /** Stripe keeps events for 30 days. */
    async *since(since: Date): AsyncGenerator<StripeEvent> {
      const created = { gte: Math.floor(since.getTime() / 1000) }
      try {
        for (const types of splitTypes(eventTypes))
          for await (const event of sdk.events.list({ created, types, limit: 100 })) yield toStripeEvent(event)
      } catch (error) {
        throw translate(error)
      }
    },

    /** Throws if the signature does not match the body's bytes or is too old. */
    read: (body: Buffer, signature: string): StripeEvent =>
      toStripeEvent(sdk.webhooks.constructEvent(body, signature, webhookSecret)),
  }
}

function toStripeEvent({ id, type, data }: Stripe.Event): StripeEvent {
  const object = data.object as { object: string; id?: string; customer?: string; payment_intent?: string }
  // The customer of a detached card is only in the previous attributes.
  const previous = data.previous_attributes as { customer?: string } | undefined
  return {
    id,
    type,
    subscriptionId: subscriptionIn(object),
    customerId: object.object === 'customer' ? (object.id ?? null) : idOf(object.customer ?? previous?.customer),
    paymentIntentId: object.object === 'payment_intent' ? (object.id ?? null) : idOf(object.payment_intent),
  }
}

function subscriptionIn(object: { object: string; id?: string }): string | null {
  if (object.object === 'subscription') return object.id ?? null
  return object.object === 'invoice' ? subscriptionOf(object as Stripe.Invoice) : null
}
