import type { TaxLine } from '#contract/selling/bookkeeping.ts'

const money = (cents: number) => (cents / 100).toFixed(2)

/** Region names come from buyers: a cell that begins like a formula is made text, and quotes are doubled. */
const cell = (text: string) => `"${/^[=+@\-\s]/.test(text) ? `'${text}` : text}"`.replaceAll(/(?<!^)"(?!$)/g, '""')

/** Rows by country, region, rate and kind. Euros use the seller's own rate, or are left out. */
export function csvOfTaxes(lines: TaxLine[], euroRate: number | undefined): string {
  const head = [
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
  const euros = euroRate === undefined ? [] : ['Net (EUR)', 'Tax (EUR)', 'Gross (EUR)']
  const rows = lines.map(({ kind, country, region, rate, originalMonth, count, net, tax, gross }) => [
    kind,
    country ?? '',
    region ? cell(region) : '',
    rate ?? '',
    originalMonth ?? '',
    count,
    ...[net, tax, gross].map(money),
    ...(euroRate === undefined ? [] : [net, tax, gross].map((cents) => money(Math.round(cents * euroRate)))),
  ])
  return `\uFEFF${[[...head, ...euros], ...rows].map((row) => row.join(',')).join('\n')}\n`
}
