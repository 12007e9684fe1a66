import type { Stripe } from '@stripe/stripe-js'
import { purchases } from '#contract/purchases.ts'
import { call } from '#web/api/client.ts'

/** Starts using a saved card. If the bank wants a confirmation, Stripe's script prompts the buyer. */
export async function finishCardUpdate(id: string, setupIntentId: string, load: () => Promise<Stripe>) {
  const { confirmWith } = await call(purchases.finishCardUpdate, { id, setupIntentId })
  if (!confirmWith) return
  const stripe = await load()
  const { error } = await stripe.handleNextAction({ clientSecret: confirmWith })
  if (error) throw new Error(error.message ?? 'Your bank didn’t confirm the payment.')
  // Call again now that the bank has confirmed, so the shop learns it was paid.
  await call(purchases.finishCardUpdate, { id, setupIntentId })
}
