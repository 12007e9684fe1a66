import type { Stripe, StripeElements, StripeError } from '@stripe/stripe-js'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { ApiError, ConnectionError } from '#contract/call.ts'
import { exactDollars } from '#contract/money.ts'
import { declineSentence, isDecline } from '#contract/selling/declines.ts'
import { type Purchase, purchases } from '#contract/selling/purchases.ts'
import { call, keyOf } from '#web/api/client.ts'
import { messageOf } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { CardFormSkeleton } from './payment-skeleton.tsx'
import { finishCardUpdate, toastCard } from './use-returned-card.ts'

const CardForm = lazy(() => import('./card-form.tsx'))

/** An unpaid renewal is charged to the new card right away. */
export default function CardUpdateDialog(props: {
  purchase: Pick<Purchase, 'id' | 'status' | 'amount' | 'dueAmount' | 'card'>
  onClose: () => void
}) {
  const { purchase, onClose } = props
  const purchaseId = purchase.id
  const isUnpaid = purchase.status === 'past_due'
  const due = exactDollars(purchase.dueAmount ?? purchase.amount)
  const label = isUnpaid ? `Pay ${due} and save card` : 'Save card'
  const client = useQueryClient()
  const cardUpdate = useQuery({
    queryKey: ['card-update', purchaseId],
    queryFn: () => call(purchases.beginCardUpdate, { id: purchaseId }),
    staleTime: 0,
    gcTime: 0,
  })

  async function saveCard(stripe: Stripe, elements: StripeElements) {
    const { error, setupIntent } = await stripe.confirmSetup({
      elements,
      confirmParams: { return_url: new URL(`/dashboard?card=${purchaseId}`, location.origin).href },
      redirect: 'if_required',
    })
    if (error?.type === 'validation_error') throw new IncompleteCard()
    if (error) throw new Error(reasonOf(error))
    try {
      return await finishCardUpdate(purchaseId, setupIntent.id, async () => stripe)
    } catch (failure) {
      // Each setup intent saves one card, so another attempt needs a new one.
      await cardUpdate.refetch()
      throw failure
    }
  }

  return (
    <Dialog
      title={isUnpaid ? 'Update your card' : 'Change your card'}
      description={
        <>
          {purchase.card && <p className="font-medium text-ink">Now: {purchase.card}.</p>}
          {isUnpaid
            ? `We’ll charge the open ${due} to the new card now and use it for renewals.`
            : 'Nothing is charged now. We’ll use the new card for renewals.'}
        </>
      }
      onClose={onClose}
    >
      {cardUpdate.error && (
        <div role="alert" className="flex flex-col items-start gap-4">
          <p>We couldn’t load the payment form.</p>
          <Button variant="secondary" onClick={() => void cardUpdate.refetch()}>
            Try again
          </Button>
        </div>
      )}
      {!cardUpdate.error && cardUpdate.data && (
        <Suspense fallback={<CardFormSkeleton label={label} />}>
          <CardForm
            clientSecret={cardUpdate.data.clientSecret}
            label={label}
            onSubmit={async (stripe, elements) => {
              try {
                toastCard(await saveCard(stripe, elements))
                onClose()
                return undefined
              } catch (error) {
                if (error instanceof IncompleteCard) return undefined
                const reason = messageOf(error) ?? 'Your card could not be updated. Please try again.'
                return isOutcomeUnknown(error) ? reason : `${reason} Your card on file stays the same.`
              } finally {
                await client.invalidateQueries({ queryKey: keyOf(purchases.list) })
              }
            }}
          />
        </Suspense>
      )}
      {!cardUpdate.error && !cardUpdate.data && <CardFormSkeleton label={label} />}
    </Dialog>
  )
}

const reasonOf = (error: StripeError) =>
  isDecline(error) ? declineSentence(error) : (error.message ?? 'Your card was not accepted.')

/** True if the shop may have stored the card, although no answer said so. */
const isOutcomeUnknown = (error: unknown) =>
  error instanceof ConnectionError || (error instanceof ApiError && error.status >= 500)

/** Has no message, because the card fields show their own errors. */
class IncompleteCard extends Error {}
