import type { Stripe } from 'stripe'
import type { BillingType } from '#contract/statuses.ts'
import { type Client, idOf } from './client.ts'
import { billingOf } from './plan.ts'

export type Invoicing = { readonly footer: string; automaticTax: boolean }

export type BuyerPlace = { country: string; postalCode: string; vatId: string; ip: string }

type TaxPart = { name: string; percent: number; amount: number }

export type Tax = { percent: number; amount: number; isReverseCharge: boolean; parts: TaxPart[] }

/** Stripe Tax's code for software as a service, personal use. */
export const taxCode = 'txcd_10103000'

/** Prefixes of EU VAT IDs: EL is Greece, XI is Northern Ireland. */
const euPrefixes = new Set(
  'AT BE BG CY CZ DE DK EE EL ES FI FR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK XI'.split(' '),
)

export function taxIdTypeOf(vatId: string): 'eu_vat' | 'ch_vat' | 'gb_vat' | undefined {
  if (vatId.startsWith('CHE')) return 'ch_vat'
  if (vatId.startsWith('GB')) return 'gb_vat'
  return euPrefixes.has(vatId.slice(0, 2)) ? 'eu_vat' : undefined
}

/** Tax rates at Stripe are immutable, so each is fetched once. */
export function taxReader({ sdk, ask }: Pick<Client, 'sdk' | 'ask'>) {
  const rates = new Map<string, { name: string; percent: number }>()

  async function rateOf(id: string) {
    const cachedRate = rates.get(id)
    if (cachedRate) return cachedRate
    const { display_name, effective_percentage, percentage } = await ask(sdk.taxRates.retrieve(id))
    const rate = { name: display_name, percent: effective_percentage ?? percentage }
    rates.set(id, rate)
    return rate
  }

  return async function taxOf({ total_taxes: taxes }: Stripe.Invoice): Promise<Tax | null> {
    const relevantTaxes = (taxes ?? []).filter(
      ({ amount, taxability_reason: reason }) => amount > 0 || reason === 'reverse_charge',
    )
    if (relevantTaxes.length === 0) return null
    const parts = new Map<string, TaxPart>()
    for (const { amount, tax_rate_details: details } of relevantTaxes) {
      if (!details || amount === 0) continue
      const { name, percent } = await rateOf(details.tax_rate)
      // Taxes of the same name, such as the sales taxes of state and county, become one part.
      const part = parts.get(name) ?? { name, percent: 0, amount: 0 }
      parts.set(name, { name, percent: part.percent + percent, amount: part.amount + amount })
    }
    return {
      parts: [...parts.values()],
      percent: [...parts.values()].reduce((sum, { percent }) => sum + percent, 0),
      amount: sumOf(relevantTaxes),
      isReverseCharge: relevantTaxes.some(({ taxability_reason: reason }) => reason === 'reverse_charge'),
    }
  }
}

/** The components explain a change of the revenue. */
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

/** Prices at Stripe are immutable, so each is fetched once. */
export function rateReader({ sdk, ask }: Pick<Client, 'sdk' | 'ask'>) {
  const prices = new Map<string, Promise<Stripe.Price>>()

  function priceOf({ pricing }: Stripe.InvoiceLineItem) {
    const id = idOf(pricing?.price_details?.price)
    if (!id) return null
    const price = prices.get(id) ?? ask(sdk.prices.retrieve(id))
    prices.set(id, price)
    price.catch(() => prices.delete(id))
    return price
  }

  return async function rateOf(lines: Stripe.InvoiceLineItem[]): Promise<Rate> {
    const rate: Rate = { arr: 0, billing: null, priceId: null, quantity: 0, discount: 0 }
    for (const line of lines) {
      const price = await priceOf(line)
      if (!price || line.amount <= 0) continue
      const discount = sumOf(line.discount_amounts)
      const includedTaxes = (line.taxes ?? []).filter(({ tax_behavior: behavior }) => behavior === 'inclusive')
      const net = line.amount - discount - sumOf(includedTaxes)
      const quantity = line.quantity ?? 1
      // A proration bills only part of a period, so the full price is reduced by the line's share of discount and tax.
      const listPricePerYear = (price.unit_amount ?? 0) * quantity * timesAYear(price)
      rate.arr += Math.round((listPricePerYear * net) / line.amount)
      rate.billing ??= billingOf(price)
      rate.priceId ??= price.id
      rate.quantity += quantity
      rate.discount += discount
    }
    return rate
  }
}

export const sumOf = (amounts: { amount: number }[] | null) =>
  (amounts ?? []).reduce((sum, { amount }) => sum + amount, 0)
