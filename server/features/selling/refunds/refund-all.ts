import type { RefundNotes, StripeGateway } from '#server/gateways/stripe.ts'
import { type AmountDue, type PaidAmount, remainingRefunds } from './refundable.ts'

export function fullAmountIf(isDue: (paid: PaidAmount) => boolean): AmountDue {
  return (paid) => (isDue(paid) ? paid.amount : 0)
}

/** Idempotent: amounts already refunded count. */
export async function refundAll(
  stripe: StripeGateway,
  subscriptionId: string,
  amountDue: AmountDue = ({ amount }) => amount,
  notes: RefundNotes = {},
) {
  const readRemaining = async () => remainingRefunds(await stripe.subscriptions.read(subscriptionId), amountDue)
  // Reads again right before each refund, because another process may have refunded meanwhile.
  for (const { paymentIntentId } of await readRemaining())
    await stripe.payments.refund(
      paymentIntentId,
      async () => {
        const remaining = await readRemaining()
        return remaining.find((refund) => refund.paymentIntentId === paymentIntentId)?.amount ?? 0
      },
      notes,
    )
}
