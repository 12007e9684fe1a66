import type { Stripe } from '@stripe/stripe-js'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { declineSentence, isDecline } from '#contract/selling/declines.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { call, keyOf } from '#web/api/client.ts'
import { useSettings } from '#web/api/settings.tsx'
import { toastError } from '#web/api/use-call.ts'
import { toast } from '#web/ui/toast.tsx'
import { untilDone } from './until-done.ts'

/** Starts using a new card after the bank's redirect back to the dashboard. */
export function useReturnedCard() {
  const client = useQueryClient()
  const { stripe: settings } = useSettings()
  const arrive = useEffectEvent(async () => {
    const returned = new URLSearchParams(location.search)
    const [id, setupIntentId] = [returned.get('card'), returned.get('setup_intent')]
    if (!id || !setupIntentId) return
    history.replaceState(history.state, '', location.pathname)
    const load = async () => (await import('./load-stripe.ts')).stripeOf(settings)
    try {
      toastCard(await finishCardUpdate(id, setupIntentId, load))
    } catch (error) {
      toastError('Card not updated', error)
    }
    await client.invalidateQueries({ queryKey: keyOf(purchases.list) })
  })
  useEffect(() => void arrive(), [])
}

export const toastCard = (card: string | null) =>
  toast({
    title: 'Card updated',
    description: `${card ? `We’ll charge your ${card} from now on.` : 'Thank you.'} Your subscription continues.`,
  })

/** Starts using a saved card and returns it. If the bank wants a confirmation, Stripe's script prompts the buyer. */
export async function finishCardUpdate(id: string, setupIntentId: string, load: () => Promise<Stripe>) {
  let newCard: string | null = null
  const finish = async () => {
    const answer = await call(purchases.finishCardUpdate, { id, setupIntentId })
    newCard = answer.card
    return answer
  }
  await untilDone(async () => {
    const { state, confirmWith } = await finish()
    if (!confirmWith) return state === 'done'
    const stripe = await load()
    const { error } = await stripe.handleNextAction({ clientSecret: confirmWith })
    if (error && isDecline(error)) throw new Error(declineSentence(error))
    if (error) throw new Error(error.message ?? 'Your bank didn’t confirm the payment.')
    // Asks again after the bank's confirmation, so the shop learns of the payment.
    return (await finish()).state === 'done'
  })
  return newCard
}
