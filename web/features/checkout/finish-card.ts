import type { Stripe } from '@stripe/stripe-js'
import { purchases } from '#contract/purchases.ts'
import { call } from '#web/api/client.ts'

/** Puts a stored card to use. When the bank wants the buyer to confirm what is open, Stripe's script asks for it. */
export async function finishCardUpdate(id: string, setupIntentId: string, load: () => Promise<Stripe>) {
  const { confirmWith } = await call(purchases.finishCardUpdate, { id, setupIntentId })
  if (!confirmWith) return
  const stripe = await load()
  const { error } = await stripe.handleNextAction({ clientSecret: confirmWith })
  if (error) throw new Error(error.message ?? 'Your bank did not confirm the payment.')
  // Once more, now that the bank has confirmed: the shop learns that it is paid.
  await call(purchases.finishCardUpdate, { id, setupIntentId })
}
