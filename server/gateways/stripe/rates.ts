import type { Stripe } from 'stripe'
import type { BillingType } from '#contract/statuses.ts'
import { billingOf, type Client, idOf } from './client.ts'

/** What a paid period costs, and what that comes from: when one of these changes, it says why the figure did. */
export type Rate = {
  /** Yearly revenue in whole cents, after discounts and without tax. */
  arr: number
  billing: BillingType | null
  priceId: string | null
  quantity: number
  discount: number
}

const perYear: Record<string, number> = { day: 365, week: 52, month: 12, year: 1 }

/** How many of its periods a year has. */
const timesAYear = ({ recurring }: Pick<Stripe.Price, 'recurring'>) =>
  recurring ? (perYear[recurring.interval] ?? 0) / recurring.interval_count : 0

/** Reads what invoice lines cost a year. A price at Stripe never changes, so each is looked up once. */
export function rateReader({ sdk, ask }: Pick<Client, 'sdk' | 'ask'>) {
  const prices = new Map<string, Promise<Stripe.Price>>()

  function priceOf({ pricing }: Stripe.InvoiceLineItem) {
    const id = idOf(pricing?.price_details?.price)
    if (!id) return null
    const asked = prices.get(id) ?? ask(sdk.prices.retrieve(id))
    prices.set(id, asked)
    asked.catch(() => prices.delete(id))
    return asked
  }

  return async function rateOf(lines: Stripe.InvoiceLineItem[]): Promise<Rate> {
    const rate: Rate = { arr: 0, billing: null, priceId: null, quantity: 0, discount: 0 }
    for (const line of lines) {
      const price = await priceOf(line)
      const discount = sumOf(line.discount_amounts)
      const inside = (line.taxes ?? []).filter(({ tax_behavior: behavior }) => behavior === 'inclusive')
      const net = line.amount - discount - sumOf(inside)
      const quantity = line.quantity ?? 1
      if (!price || line.amount <= 0) continue
      // A change within a period bills a part of it: its price is the whole, less what the part was reduced by.
      const whole = (price.unit_amount ?? 0) * quantity * timesAYear(price)
      rate.arr += Math.round((whole * net) / line.amount)
      rate.billing ??= billingOf(price)
      rate.priceId ??= price.id
      rate.quantity += quantity
      rate.discount += discount
    }
    return rate
  }
}

const sumOf = (amounts: { amount: number }[] | null) =>
  (amounts ?? []).reduce((sum, { amount }) => sum + amount, 0)
