import { formatMoney } from '#contract/money.ts'
import { type AdminPayout, type BookedMonth, bookkeeping } from '#contract/selling/bookkeeping.ts'
import { useData } from '#web/api/client.ts'
import { Pending } from '#web/ui/card.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { Badge, Notice } from '#web/ui/notice.tsx'
import { Cell } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { ExportButton, ExportProgress, useExport } from '../exports/exports.tsx'
import { RecordList } from '../lists/record-list.tsx'
import { DayCell, moneyCell } from '../lists/record-table.tsx'
import { EmptyNote, FigureSection, FigureTable, linkClasses } from '../overview/figure.tsx'
import { formatMonth } from '../overview/words.ts'
import { formatCount } from '../parts/count.ts'

const chargeCurrency = 'usd'

export default function Payouts() {
  return (
    <div className="flex flex-col gap-8">
      <MonthlyBalance />
      <FigureSection
        title="Payouts"
        meaning="Transfers from your balance at Stripe to your bank account. Stripe names the lines of automatic payouts; those that you start yourself are not itemized."
      >
        <RecordList
          label="Payouts"
          noun={['payout', 'payouts']}
          columns={['Arrives', { title: 'Amount' }, 'State', 'Lines']}
          list={bookkeeping.adminPayouts}
          none={{ title: 'No payouts yet', description: 'Stripe pays out a few days after the first payment.' }}
          renderRow={(payout) => <PayoutCells {...payout} />}
        />
      </FigureSection>
    </div>
  )
}

const tones: Record<string, 'good' | 'bad' | 'neutral'> = { paid: 'good', failed: 'bad', canceled: 'bad' }

function PayoutCells({ id, amount, currency, status, arrivesAt, lines, difference, failure }: AdminPayout) {
  return (
    <>
      <DayCell label="Arrives" value={arrivesAt} />
      <Cell label="Amount" className={moneyCell}>
        {formatMoney(currency, amount)}
      </Cell>
      <Cell label="State">
        <Badge tone={tones[status] ?? 'neutral'}>{status.replace('_', ' ')}</Badge>
        {failure && <span className="block pt-1 text-xs text-danger">{failure}</span>}
      </Cell>
      <Cell label="Lines">
        {lines === null ? (
          <span className="text-muted">not itemized</span>
        ) : (
          <Link href={`/admin/purchases/payouts/${id}`} className={linkClasses}>
            {formatCount(lines, 'line')}
          </Link>
        )}
        {difference !== 0 && (
          <span className="block pt-1 text-xs text-danger">
            {formatMoney(currency, difference)} not explained by its lines
          </span>
        )}
      </Cell>
    </>
  )
}

function MonthlyBalance() {
  const { data, ...query } = useData(bookkeeping.adminMonths, {})
  const { running, run, cancel } = useExport()
  return (
    <FigureSection
      title="Months"
      meaning="By the day on which your balance at Stripe moved, in UTC. Fees are Stripe’s. Net is gross less refunds, disputes and fees, with other activity of the account."
    >
      {data?.fault && (
        <Notice tone="bad" role="alert">
          The shop can’t read your balance: {data.fault}
        </Notice>
      )}
      {running && <ExportProgress kind={running} onCancel={cancel} />}
      {!data && <Pending query={query} />}
      {data?.months.length === 0 && <EmptyNote>Nothing has moved your balance at Stripe yet.</EmptyNote>}
      {data && data.months.length > 0 && (
        <MonthTable months={data.months} running={running} exportMonth={(period) => run('bookkeeping', { period })} />
      )}
      {data?.readAt && (
        <p className="text-xs text-muted">
          Read from Stripe <Time value={data.readAt} withClock />, every hour.
        </p>
      )}
    </FigureSection>
  )
}

const heads = ['Month', 'Gross', 'Refunds', 'Disputes', 'Fees', 'Net', 'Paid out', 'For the bookkeeper']

type MonthTableProps = {
  months: BookedMonth[]
  running: Parameters<typeof ExportButton>[0]['running']
  exportMonth: (month: string) => Promise<void>
}

function MonthTable({ months, running, exportMonth }: MonthTableProps) {
  return (
    <FigureTable
      label="Balance by month"
      heads={heads}
      rows={months.map(({ month, charged, settled }) => {
        const isConverted = settled.currency !== chargeCurrency
        // Amounts in the currency that was charged, and below it in the currency of the bank account.
        const renderAmounts = (chargedAmount: number, settledAmount: number) =>
          chargedAmount === 0 && settledAmount === 0 ? (
            '–'
          ) : (
            <>
              {formatMoney(chargeCurrency, chargedAmount)}
              {isConverted && (
                <span className="block text-xs text-muted">{formatMoney(settled.currency, settledAmount)}</span>
              )}
            </>
          )
        return [
          formatMonth(month),
          renderAmounts(charged.gross, settled.gross),
          renderAmounts(charged.refunds, settled.refunds),
          renderAmounts(charged.disputes, settled.disputes),
          renderAmounts(-charged.fees, -settled.fees),
          <>
            {renderAmounts(charged.net, settled.net)}
            {settled.other !== 0 && (
              <span className="block text-xs text-muted">
                {formatMoney(settled.currency, settled.other)} other activity
              </span>
            )}
          </>,
          formatMoney(settled.currency, settled.paidOut),
          <ExportButton
            key={month}
            kind="bookkeeping"
            running={running}
            run={() => exportMonth(month)}
            className=""
            size="sm"
            text="Export"
          />,
        ]
      })}
    />
  )
}
