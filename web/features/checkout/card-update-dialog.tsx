import type { Stripe, StripeElements } from '@stripe/stripe-js'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { purchases } from '#contract/purchases.ts'
import { call } from '#web/api/client.ts'
import { messageOf } from '#web/api/use-call.ts'
import { keyOf } from '#web/api/use-data.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Loading } from '#web/ui/spinner.tsx'
import { toast } from '#web/ui/toast.tsx'
import { finishCardUpdate } from './finish-card.ts'

const CardForm = lazy(() => import('./card-form.tsx'))

/** A new card for an active subscription. Any open amount is charged to it right away. */
export function CardUpdateDialog({ purchaseId, onClose }: { purchaseId: string; onClose: () => void }) {
  const client = useQueryClient()
  const [refusal, setRefusal] = useState('')
  const begun = useQuery({
    queryKey: ['card-update', purchaseId],
    queryFn: () => call(purchases.beginCardUpdate, { id: purchaseId }),
    staleTime: 0,
    gcTime: 0,
  })

  async function store(stripe: Stripe, elements: StripeElements) {
    const { error, setupIntent } = await stripe.confirmSetup({
      elements,
      confirmParams: { return_url: new URL(`/dashboard?card=${purchaseId}`, location.origin).href },
      redirect: 'if_required',
    })
    if (error) throw new Error(error.message ?? 'Your card was not accepted.')
    await finishCardUpdate(purchaseId, setupIntent.id, async () => stripe)
  }

  return (
    <Dialog
      title="Update your card"
      description="We’ll charge any open amount now and use this card for renewals."
      onClose={onClose}
    >
      {begun.error ? (
        <div role="alert" className="flex flex-col items-start gap-4">
          <p>We couldn’t load the payment form.</p>
          <Button variant="secondary" onClick={() => void begun.refetch()}>
            Try again
          </Button>
        </div>
      ) : begun.data ? (
        <Suspense fallback={<Loading text="Loading the payment form..." />}>
          <CardForm
            clientSecret={begun.data.clientSecret}
            label="Save card"
            onSubmit={async (stripe, elements) => {
              setRefusal('')
              try {
                await store(stripe, elements)
                await client.invalidateQueries({ queryKey: keyOf(purchases.list) })
                toast({ title: 'Card updated', description: 'Thank you. Your subscription continues.' })
                onClose()
              } catch (error) {
                await client.invalidateQueries({ queryKey: keyOf(purchases.list) })
                setRefusal(messageOf(error) ?? 'Your card could not be updated. Please try again.')
              }
            }}
          />
          {/* Inline: a toast soon disappears, and screen readers skip anything outside the dialog. */}
          {refusal && (
            <p role="alert" className="rounded-md bg-danger-soft px-4 py-3 text-sm font-medium text-danger">
              {refusal}
            </p>
          )}
        </Suspense>
      ) : (
        <Loading text="Loading the payment form..." />
      )}
    </Dialog>
  )
}
