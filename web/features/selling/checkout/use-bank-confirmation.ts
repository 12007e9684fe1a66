import { useMutation, useQueryClient } from '@tanstack/react-query'
import { declineSentence, isDecline } from '#contract/selling/declines.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { call, keyOf } from '#web/api/client.ts'
import { useSettings } from '#web/api/settings.tsx'
import { toastError } from '#web/api/use-call.ts'
import { toast } from '#web/ui/toast.tsx'
import { untilDone } from './until-done.ts'

/** Has the bank confirm the payment of an unpaid renewal. The card stays the same. */
export function useBankConfirmation(id: string) {
  const client = useQueryClient()
  const { stripe: settings } = useSettings()
  return useMutation({
    async mutationFn() {
      const { confirmWith } = await call(purchases.beginCardUpdate, { id })
      if (!confirmWith) throw new Error('Your bank no longer needs a confirmation. Please pay with another card.')
      const stripe = await (await import('./load-stripe.ts')).loadStripeOnce(settings)
      const { error } = await stripe.handleNextAction({ clientSecret: confirmWith })
      if (error && isDecline(error)) throw new Error(`${declineSentence(error)} You weren’t charged.`)
      if (error) throw new Error(error.message ?? 'Your bank didn’t confirm the payment.')
      await untilDone(async () => (await call(purchases.finishCardUpdate, { id })).state === 'done')
    },
    onSuccess: () => toast({ title: 'Payment confirmed', description: 'Thank you. Your subscription continues.' }),
    onError: (error) => toastError('Payment not confirmed', error),
    onSettled: () => client.invalidateQueries({ queryKey: keyOf(purchases.list) }),
  })
}
