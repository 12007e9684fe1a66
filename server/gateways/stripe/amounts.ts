import type { Stripe } from 'stripe'
import type { BillingType } from '#contract/statuses.ts'
import { type Client, idOf } from './client.ts'
import { billingOf } from './plan.ts'

export type Invoicing = { readonly footer: string; automaticTax: boolean }

export type BuyerPlace = { country: string; postalCode: string; vatId: string; ip: string }

type TaxPart = { name: string; percent: number; amount: number }

/** Tax included in a price: the total, and each tax by name. */
export type Tax = { percent: number; amount: number; isReverseCharge: boolean; parts: TaxPart[] }

/** Stripe's code for software as a service, personal use. */
export const taxCode = 'txcd_10103000'

const union = new Set('AT BE BG CY CZ DE DK EE EL ES FI FR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK XI'.split(' '))

/** Stripe's type of a VAT ID; undefined if unknown. */
export function taxIdTypeOf(vatId: string): 'eu_vat' | 'ch_vat' | 'gb_vat' | undefined {
  if (vatId.startsWith('CHE')) return 'ch_vat'
  if (vatId.startsWith('GB')) return 'gb_vat'
  return union.has(vatId.slice(0, 2)) ? 'eu_vat' : undefined
}

/** Tax of an invoice. Tax rates at Stripe are immutable, so each is fetched once. */
export function taxReader({ sdk, ask }: Pick<Client, 'sdk' | 'ask'>) {
  const rates = new Map<string, { name: string; percent: number }>()

  async function rateOf(id: string) {
    const known = rates.get(id)
    if (known) return known
    const rate = await ask(sdk.taxRates.retrieve(id))
    const found = { name: rate.display_name, percent: rate.effective_percentage ?? rate.percentage }
    rates.set(id, found)
    return found
  }

  return async function taxOf({ total_taxes: taxes }: Stripe.Invoice): Promise<Tax | null> {
    const counted = (taxes ?? []).filter(
      ({ amount, taxability_reason: reason }) => amount > 0 || reason === 'reverse_charge',
    )
    if (counted.length === 0) return null
    const parts = new Map<string, TaxPart>()
    for (const { amount, tax_rate_details: details } of counted) {
      if (!details || amount === 0) continue
      const { name, percent } = await rateOf(details.tax_rate)
      // Sales taxes of state and county are added up in one line.
      const before = parts.get(name) ?? { name, percent: 0, amount: 0 }
      parts.set(name, { name, percent: before.percent + percent, amount: before.amount + amount })
    }
    return {
      parts: [...parts.values()],
      percent: [...parts.values()].reduce((sum, { percent }) => sum + percent, 0),
      amount: counted.reduce((sum, { amount }) => sum + amount, 0),
      isReverseCharge: counted.some(({ taxability_reason: reason }) => reason === 'reverse_charge'),
    }
  }
}

/** Cost of a paid period with its components, which explain a change of the revenue. */
export type Rate = {
  /** Yearly revenue in whole cents, after discounts and without tax. */
  arr: number
  billing: BillingType | null
  priceId: string | null
  quantity: number
  discount: number
}

const perYear: Record<string, number> = { day: 365, week: 52, month: 12, year: 1 }

export const timesAYear = ({ recurring }: Pick<Stripe.Price, 'recurring'>) =>
  recurring ? (perYear[recurring.interval] ?? 0) / recurring.interval_count : 0

/** Annual cost of invoice lines. Prices at Stripe are immutable, so each is fetched once. */
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
      // A proration bills part of a period: takes the full price, less the discount on that part.
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

const sumOf = (amounts: { amount: number }[] | null) => (amounts ?? []).reduce((sum, { amount }) => sum + amount, 0)
