import type { TaxLine } from '#contract/selling/bookkeeping.ts'

const fromCents = (cents: number) => (cents / 100).toFixed(2)

/** An apostrophe keeps a spreadsheet from running a region, which buyers type, as a formula. */
function quoteCell(text: string) {
  const harmless = /^[=+@\-\s]/.test(text) ? `'${text}` : text
  return `"${harmless.replaceAll('"', '""')}"`
}

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
      region ? quoteCell(region) : '',
      rate ?? '',
      originalMonth ?? '',
      count,
      ...dollarCents.map(fromCents),
      ...euroCents.map(fromCents),
    ]
  })
  const csvRows = [[...dollarHeadings, ...euroHeadings], ...rows].map((row) => row.join(','))
  // Excel reads a file as UTF-8 only if it begins with a byte order mark.
  return `\uFEFF${csvRows.join('\n')}\n`
}
