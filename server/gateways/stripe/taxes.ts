import type { Stripe } from 'stripe'
import type { Client } from './client.ts'

export type Invoicing = { readonly footer: string; automaticTax: boolean }

/** Where a buyer is, as far as tax is concerned. */
export type Place = { country: string; postalCode: string; vatId: string; ip: string }

/** The tax inside a price. */
export type Tax = { percent: number; amount: number; isReverseCharge: boolean }

/** Stripe's code for software as a service, personal use. */
export const taxCode = 'txcd_10103000'

const union = new Set(
  'AT BE BG CY CZ DE DK EE EL ES FI FR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK XI'.split(' '),
)

/** Which kind of VAT ID this is; nothing for one we can't tell. */
export function taxIdTypeOf(vatId: string): 'eu_vat' | 'ch_vat' | 'gb_vat' | undefined {
  if (vatId.startsWith('CHE')) return 'ch_vat'
  if (vatId.startsWith('GB')) return 'gb_vat'
  return union.has(vatId.slice(0, 2)) ? 'eu_vat' : undefined
}

/** Reads the tax of an invoice. A rate at Stripe never changes, so each is looked up once. */
export function taxReader({ sdk, ask }: Pick<Client, 'sdk' | 'ask'>) {
  const percents = new Map<string, number>()

  async function percentOf(rate: string) {
    const known = percents.get(rate)
    if (known !== undefined) return known
    const { effective_percentage: effective, percentage } = await ask(sdk.taxRates.retrieve(rate))
    percents.set(rate, effective ?? percentage)
    return effective ?? percentage
  }

  return async function taxOf({ total_taxes: taxes }: Stripe.Invoice): Promise<Tax | null> {
    const counted = (taxes ?? []).filter(
      ({ amount, taxability_reason: reason }) => amount > 0 || reason === 'reverse_charge',
    )
    if (counted.length === 0) return null
    let percent = 0
    for (const { amount, tax_rate_details: details } of counted)
      if (details && amount > 0) percent += await percentOf(details.tax_rate)
    return {
      percent,
      amount: counted.reduce((sum, { amount }) => sum + amount, 0),
      isReverseCharge: counted.some(({ taxability_reason: reason }) => reason === 'reverse_charge'),
    }
  }
}
