import { Download } from 'lucide-react'
import { useState } from 'react'
import { countryNames } from '#contract/country-names.ts'
import { exactDollars, formatMoney } from '#contract/money.ts'
import { bookkeeping, type TaxLine } from '#contract/selling/bookkeeping.ts'
import { send, useData } from '#web/api/client.ts'
import { toastError } from '#web/api/toast-error.ts'
import { Button } from '#web/ui/button.tsx'
import { Pending } from '#web/ui/card.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input, Select } from '#web/ui/input.tsx'
import { saveFile } from '#web/ui/save-file.ts'
import { useFilters } from '../lists/use-filters.ts'
import { EmptyNote, FigureSection, FigureTable } from '../overview/figure.tsx'
import { formatMonth } from '../overview/words.ts'

/** Quarters and months of the last two years, newest first. */
function periodsUntil(now: Date) {
  const months = Array.from(
    { length: 24 },
    (_, monthsAgo) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo)),
  )
  const quarterOf = (month: Date) => `${month.getUTCFullYear()}-Q${Math.floor(month.getUTCMonth() / 3) + 1}`
  const quarters = [...new Set(months.map(quarterOf))]
  const monthValues = months.map((month) => month.toISOString().slice(0, 7))
  return [
    ...quarters.map((quarter) => [quarter, quarter.replace('-', ' ')] as const),
    ...monthValues.map((month) => [month, formatMonth(month)] as const),
  ]
}

export default function Taxes() {
  const [periods] = useState(() => periodsUntil(new Date()))
  const [{ period = periods[0]?.[0] ?? '' }, setFilters] = useFilters({ period: periods.map(([value]) => value) })
  const [rate, setRate] = useState('')
  // A decimal comma is accepted; without a valid rate, no euros are shown.
  const euroRate = Number(rate.replace(',', '.')) || undefined
  const { data, ...query } = useData(bookkeeping.adminTaxes, { period })

  async function download() {
    try {
      const response = await send(bookkeeping.adminExportTaxes, { period, ...(euroRate ? { euroRate } : {}) })
      saveFile(`taxes-${period}.csv`, await response.blob())
    } catch (error) {
      toastError('Export failed', error)
    }
  }

  return (
    <div className="flex flex-col gap-8">
      <p className="max-w-prose text-muted">
        Sums from the shop’s books, by the day of the payment or the credit, in UTC. This is not a tax return and not
        advice.
      </p>
      <div className="flex flex-wrap items-start gap-3">
        <Field name="period" label="Period">
          <Select value={period} options={periods} onChange={({ target }) => setFilters({ period: target.value })} />
        </Field>
        <Field name="euroRate" label="Euros for one dollar" hint="Your tax office says which rate to use.">
          <Input inputMode="decimal" placeholder="0.92" value={rate} onChange={({ target }) => setRate(target.value)} />
        </Field>
        <Button variant="secondary" className="sm:mt-7 sm:ml-auto" onClick={() => void download()}>
          <Download className="size-4" />
          Export Taxes
        </Button>
      </div>
      {data ? (
        <>
          <TaxTable title="Sales" lines={data.filter(({ kind }) => kind === 'sale')} euroRate={euroRate} />
          <TaxTable title="Credits" lines={data.filter(({ kind }) => kind === 'credit')} euroRate={euroRate} />
        </>
      ) : (
        <Pending query={query} />
      )}
    </div>
  )
}

const meanings = {
  Sales: 'Every payment of the period. Region is the state or province of the buyer’s address.',
  Credits: 'Refunds and lost disputes of the period, with the month of the sale that they take back.',
}

function formatRate(rate: number | null): string {
  if (rate === null) return 'no tax'
  return rate === 0 ? 'reverse charge' : `${rate}%`
}

type TaxTableProps = { title: keyof typeof meanings; lines: TaxLine[]; euroRate: number | undefined }

function TaxTable({ title, lines, euroRate }: TaxTableProps) {
  const renderMoney = (cents: number) => (
    <>
      {exactDollars(cents)}
      {euroRate && <span className="block text-xs text-muted">{formatMoney('eur', Math.round(cents * euroRate))}</span>}
    </>
  )
  const sumOf = (field: 'net' | 'tax' | 'gross') => lines.reduce((total, line) => total + line[field], 0)
  // Only credits have the month of their sale.
  const saleMonthHeads = title === 'Credits' ? ['Sold in'] : []
  return (
    <FigureSection title={title} meaning={meanings[title]}>
      {lines.length === 0 ? (
        <EmptyNote>None in this time.</EmptyNote>
      ) : (
        <FigureTable
          label={title}
          heads={['Country', 'Region', 'Rate', ...saleMonthHeads, 'Count', 'Net', 'Tax', 'Gross']}
          rows={[
            ...lines.map(({ country, region, rate, originalMonth, count, net, tax, gross }) => [
              country ? countryNames.of(country) : 'Unknown',
              region ?? '–',
              formatRate(rate),
              ...(originalMonth ? [formatMonth(originalMonth)] : []),
              String(count),
              renderMoney(net),
              renderMoney(tax),
              renderMoney(gross),
            ]),
            [
              <strong key="sum">Sum</strong>,
              '',
              '',
              ...saleMonthHeads.map(() => ''),
              String(lines.reduce((total, { count }) => total + count, 0)),
              renderMoney(sumOf('net')),
              renderMoney(sumOf('tax')),
              renderMoney(sumOf('gross')),
            ],
          ]}
        />
      )}
    </FigureSection>
  )
}
