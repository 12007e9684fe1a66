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

/** Finishes a card update when the bank's page redirects back to the dashboard. */
export function useReturnedCard() {
  const client = useQueryClient()
  const { stripe: settings } = useSettings()
  const finishAfterRedirect = useEffectEvent(async () => {
    const query = new URLSearchParams(location.search)
    const id = query.get('card')
    const setupIntentId = query.get('setup_intent')
    if (!id || !setupIntentId) return
    history.replaceState(history.state, '', location.pathname)
    const loadStripe = async () => (await import('./load-stripe.ts')).loadStripeOnce(settings)
    try {
      toastCard(await finishCardUpdate(id, setupIntentId, loadStripe))
    } catch (error) {
      toastError('Card not updated', error)
    }
    await client.invalidateQueries({ queryKey: keyOf(purchases.list) })
  })
  useEffect(() => void finishAfterRedirect(), [])
}

export const toastCard = (card: string | null) =>
  toast({
    title: 'Card updated',
    description: `${card ? `We’ll charge your ${card} from now on.` : 'Thank you.'} Your subscription continues.`,
  })

/** Makes a saved card the one that is charged, and returns its description. Stripe.js prompts for a bank's confirmation. */
export async function finishCardUpdate(id: string, setupIntentId: string, loadStripe: () => Promise<Stripe>) {
  let newCard: string | null = null
  const finish = async () => {
    const result = await call(purchases.finishCardUpdate, { id, setupIntentId })
    newCard = result.card
    return result
  }
  await untilDone(async () => {
    const { state, confirmWith } = await finish()
    if (!confirmWith) return state === 'done'
    const stripe = await loadStripe()
    const { error } = await stripe.handleNextAction({ clientSecret: confirmWith })
    if (error && isDecline(error)) throw new Error(declineSentence(error))
    if (error) throw new Error(error.message ?? 'Your bank didn’t confirm the payment.')
    // Called again, because the shop only learns of the confirmed payment by reading it from Stripe.
    return (await finish()).state === 'done'
  })
  return newCard
}
