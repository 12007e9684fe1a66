import type { Stripe } from '@stripe/stripe-js'
import { purchases } from '#contract/selling/purchases.ts'
import { call } from '#web/api/client.ts'
import { untilDone } from './until-done.ts'

/** Starts using a saved card. If the bank wants a confirmation, Stripe's script prompts the buyer. */
export async function finishCardUpdate(id: string, setupIntentId: string, load: () => Promise<Stripe>) {
  const finish = () => call(purchases.finishCardUpdate, { id, setupIntentId })
  await untilDone(async () => {
    const { state, confirmWith } = await finish()
    if (!confirmWith) return { state }
    const stripe = await load()
    const { error } = await stripe.handleNextAction({ clientSecret: confirmWith })
    if (error) throw new Error(error.message ?? 'Your bank didn’t confirm the payment.')
    // Asked again now that the bank has confirmed, the shop learns that it was paid.
    return finish()
  })
}
