import type { Stripe } from 'stripe'
import { ask, orMissing } from './answers.ts'
import { idOf } from './values.ts'

/** Another card for a running subscription. */
export function cardCalls(stripe: Stripe) {
  return {
    async createSetupIntent(customer: string) {
      const intent = await ask(
        stripe.setupIntents.create({
          customer,
          usage: 'off_session',
          automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
        }),
      )
      return intent.client_secret ?? ''
    },

    /** The card that a finished setup has stored for this customer; nothing for anybody else's. */
    async storedCard(setupIntentId: string, customer: string): Promise<string | undefined> {
      const intent = await orMissing(ask(stripe.setupIntents.retrieve(setupIntentId)))
      if (!intent || intent.status !== 'succeeded' || idOf(intent.customer) !== customer) return undefined
      return idOf(intent.payment_method) ?? undefined
    },

    async useCard(subscriptionId: string, card: string) {
      await ask(stripe.subscriptions.update(subscriptionId, { default_payment_method: card }))
    },
  }
}
