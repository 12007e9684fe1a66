import type { Client } from './answers.ts'
import { idOf } from './values.ts'

/** Another card for a running subscription. */
export function cardCalls({ sdk, ask, orMissing }: Client) {
  return {
    /** Cards only: anything else the account has turned on could not be charged at the next renewal. */
    async createSetupIntent(customer: string) {
      const intent = await ask(
        sdk.setupIntents.create({ customer, usage: 'off_session', allowed_payment_method_types: ['card'] }),
      )
      return intent.client_secret ?? ''
    },

    /** The card that a finished setup stored for this customer; nothing for anyone else's. */
    async storedCard(setupIntentId: string, customer: string): Promise<string | undefined> {
      const intent = await orMissing(sdk.setupIntents.retrieve(setupIntentId))
      if (!intent || intent.status !== 'succeeded' || idOf(intent.customer) !== customer) return undefined
      return idOf(intent.payment_method) ?? undefined
    },

    async useCard(subscriptionId: string, card: string) {
      await ask(sdk.subscriptions.update(subscriptionId, { default_payment_method: card }))
    },
  }
}
