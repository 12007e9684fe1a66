import type { Stripe } from 'stripe'
import { conflict } from '../../errors.ts'
import { type Invoicing, type Tax, taxReader } from './amounts.ts'
import { type Client, date, isOtherUse, isRefused } from './client.ts'
import { type Subscription, seconds } from './subscriptions.ts'

/** Cost of a switch right now, by lines that add up to the amount due. */
export type SwitchOffer = {
  lines: { kind: 'unused' | 'plan' | 'discount' | 'credit'; amount: number }[]
  due: number
  tax: Tax | null
  renewsAt: Date
  creditLeft: number
}

type SwitchTarget = { priceId: string; at: Date }

/** Preview and change use the same proration date, so both give the same amount. */
const changeOf = ({ plan }: Subscription, { priceId, at }: SwitchTarget) => ({
  items: [{ id: plan.itemId, price: priceId }],
  proration_behavior: 'always_invoice' as const,
  proration_date: seconds(at),
  billing_cycle_anchor: { type: 'now' as const },
})

/** The price was archived at Stripe. */
const isPriceGone = (error: unknown) =>
  error instanceof Error && isRefused(error) && String(Reflect.get(error, 'param')).endsWith('[price]')

/** Switches a subscription to another plan at once, if the payment succeeds. */
export function planSwitchCalls({ sdk, ask, orNothing, change }: Client, { automaticTax }: Invoicing) {
  const taxOf = taxReader({ sdk, ask })

  return {
    async preview(subscription: Subscription, wanted: SwitchTarget): Promise<SwitchOffer | 'price is gone'> {
      const request = sdk.invoices.createPreview({
        subscription: subscription.id,
        subscription_details: changeOf(subscription, wanted),
      })
      try {
        const invoice = await ask(request, isPriceGone)
        return { ...readOffer(invoice), tax: automaticTax ? await taxOf(invoice) : null }
      } catch (error) {
        if (isPriceGone(error)) return 'price is gone'
        throw error
      }
    },

    /** Charges the card on file; nothing changes unless it succeeds. Concurrent switches share an idempotency key, so one wins. */
    async begin(subscription: Subscription, wanted: SwitchTarget & { switchId: string }) {
      const { id, invoiceCount, plan } = subscription
      try {
        await change(
          `switch-${id}-${invoiceCount}`,
          (options) =>
            sdk.subscriptions.update(
              id,
              {
                ...changeOf(subscription, wanted),
                payment_behavior: 'pending_if_incomplete',
                metadata: { switch: wanted.switchId },
              },
              options,
            ),
          async () => {
            const { pending_update: pending, items } = await ask(sdk.subscriptions.retrieve(id))
            return pending !== null || items.data[0]?.price.id !== plan.priceId
          },
          isOtherUse,
        )
      } catch (error) {
        if (!isOtherUse(error)) throw error
        throw conflict('changed-meanwhile', 'You’ve just switched in another window. Please look again.')
      }
    },

    /** Leaves nothing payable. If it was paid concurrently, the next sync shows it. */
    async drop({ pending }: Pick<Subscription, 'pending'>) {
      if (!pending) return
      await orNothing(sdk.invoices.voidInvoice(pending.invoiceId), isRefused)
    },
  }
}

function readOffer(invoice: Stripe.Invoice): Omit<SwitchOffer, 'tax'> {
  const { lines, total, amount_due: due, total_discount_amounts: discounts, ending_balance: balance } = invoice
  const isUnused = ({ amount }: Stripe.InvoiceLineItem) => amount < 0
  const sum = (amounts: { amount: number }[]) => amounts.reduce((all, { amount }) => all + amount, 0)
  const year = lines.data.findLast((line) => !isUnused(line))
  const kinds: SwitchOffer['lines'] = [
    { kind: 'unused', amount: sum(lines.data.filter(isUnused)) },
    { kind: 'plan', amount: sum(lines.data.filter((line) => !isUnused(line))) },
    { kind: 'discount', amount: -sum(discounts ?? []) },
    { kind: 'credit', amount: due - total },
  ]
  return {
    lines: kinds.filter(({ amount }) => amount !== 0),
    due,
    renewsAt: date(year?.period.end ?? 0),
    creditLeft: Math.max(0, -(balance ?? 0)),
  }
}
