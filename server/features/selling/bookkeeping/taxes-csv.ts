import type { TaxLine } from '#contract/selling/bookkeeping.ts'
import { csvOf } from '#server/csv.ts'

const fromCents = (cents: number) => (cents / 100).toFixed(2)

export function csvOfTaxes(lines: TaxLine[], euroRate: number | undefined): string {
  const dollarHeadings = [
    'Kind',
    'Country',
    'Region',
    'Tax rate (%)',
    'Month of the sale',
    'Count',
    'Net (USD)',
    'Tax (USD)',
    'Gross (USD)',
  ]
  const euroHeadings = euroRate === undefined ? [] : ['Net (EUR)', 'Tax (EUR)', 'Gross (EUR)']
  const rows = lines.map(({ kind, country, region, rate, originalMonth, count, net, tax, gross }) => {
    const dollarCents = [net, tax, gross]
    const euroCents = euroRate === undefined ? [] : dollarCents.map((cents) => Math.round(cents * euroRate))
    return [
      kind,
      country ?? '',
      region ?? '',
      rate ?? '',
      originalMonth ?? '',
      count,
      ...dollarCents.map(fromCents),
      ...euroCents.map(fromCents),
    ]
  })
  return csvOf([[...dollarHeadings, ...euroHeadings], ...rows])
}
