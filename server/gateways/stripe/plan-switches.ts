import StripeSdk, { type Stripe } from 'stripe'
import { conflict } from '../../errors.ts'
import { type Invoicing, sumOf, type Tax, taxReader } from './amounts.ts'
import { type Client, date, isKeyConflict, isRefused } from './client.ts'
import { type Subscription, seconds } from './subscriptions.ts'

/** The `lines` add up to `due`. */
export type SwitchOffer = {
  lines: { kind: 'unused' | 'plan' | 'discount' | 'credit'; amount: number }[]
  due: number
  tax: Tax | null
  renewsAt: Date
  creditLeft: number
}

type SwitchTarget = { priceId: string; at: Date }

/** Preview and change use the same proration date, so that both give the same amount. */
const switchParams = ({ plan }: Subscription, { priceId, at }: SwitchTarget) => ({
  items: [{ id: plan.itemId, price: priceId }],
  proration_behavior: 'always_invoice' as const,
  proration_date: seconds(at),
  billing_cycle_anchor: { type: 'now' as const },
})

const isPriceGone = (error: unknown) =>
  error instanceof StripeSdk.errors.StripeInvalidRequestError && (error.param ?? '').endsWith('[price]')

export function planSwitchCalls({ sdk, ask, orNothing, change }: Client, { automaticTax }: Invoicing) {
  const taxOf = taxReader({ sdk, ask })

  return {
    async preview(subscription: Subscription, wanted: SwitchTarget): Promise<SwitchOffer | 'price is gone'> {
      const request = sdk.invoices.createPreview({
        subscription: subscription.id,
        subscription_details: switchParams(subscription, wanted),
      })
      try {
        const invoice = await ask(request, isPriceGone)
        return { ...readOffer(invoice), tax: automaticTax ? await taxOf(invoice) : null }
      } catch (error) {
        if (isPriceGone(error)) return 'price is gone'
        throw error
      }
    },

    /** Switches if the card on file can be charged. Concurrent switches share an idempotency key, so only one is made. */
    async begin(subscription: Subscription, wanted: SwitchTarget & { switchId: string }) {
      const { id, invoiceCount, plan } = subscription
      try {
        await change(
          `switch-${id}-${invoiceCount}`,
          (options) =>
            sdk.subscriptions.update(
              id,
              {
                ...switchParams(subscription, wanted),
                payment_behavior: 'pending_if_incomplete',
                metadata: { switch: wanted.switchId },
              },
              options,
            ),
          async () => {
            const { pending_update: pending, items } = await ask(sdk.subscriptions.retrieve(id))
            return pending !== null || items.data[0]?.price.id !== plan.priceId
          },
          isKeyConflict,
        )
      } catch (error) {
        if (!isKeyConflict(error)) throw error
        throw conflict('changed-meanwhile', 'You’ve just switched in another window. Please look again.')
      }
    },

    /** If the invoice was paid concurrently, the next sync reads the switch. */
    async drop({ pending }: Pick<Subscription, 'pending'>) {
      if (!pending) return
      await orNothing(sdk.invoices.voidInvoice(pending.invoiceId), isRefused)
    },
  }
}

function readOffer(invoice: Stripe.Invoice): Omit<SwitchOffer, 'tax'> {
  const { lines, total, amount_due: due, total_discount_amounts: discounts, ending_balance: balance } = invoice
  // Unused time of the old plan is credited as a negative amount.
  const unusedLines = lines.data.filter(({ amount }) => amount < 0)
  const planLines = lines.data.filter(({ amount }) => amount >= 0)
  const offerLines: SwitchOffer['lines'] = [
    { kind: 'unused', amount: sumOf(unusedLines) },
    { kind: 'plan', amount: sumOf(planLines) },
    { kind: 'discount', amount: -sumOf(discounts) },
    { kind: 'credit', amount: due - total },
  ]
  return {
    lines: offerLines.filter(({ amount }) => amount !== 0),
    due,
    renewsAt: date(planLines.at(-1)?.period.end ?? 0),
    creditLeft: Math.max(0, -(balance ?? 0)),
  }
}
