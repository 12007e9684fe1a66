import { formatMoney } from '#contract/money.ts'
import { type AdminPayoutLine, bookkeeping } from '#contract/selling/bookkeeping.ts'
import { Cell } from '#web/ui/table.tsx'
import { RecordList } from '../lists/record-list.tsx'
import { DayCell, moneyCell } from '../lists/record-table.tsx'

export default function PayoutScreen({ id }: { id: string }) {
  return (
    <RecordList
      label="Lines of the payout"
      noun={['line', 'lines']}
      columns={['Date', 'What', 'Invoice', { title: 'Amount' }, { title: 'Fee' }, { title: 'Net' }]}
      list={bookkeeping.adminPayoutLines}
      input={{ id }}
      none={{ title: 'No lines', description: 'Stripe has not named what is in this payout.' }}
      renderRow={(line) => <LineCells {...line} />}
    />
  )
}

const categoryTexts: Record<string, string> = {
  charge: 'Payment',
  refund: 'Refund',
  refund_failure: 'Refund that came back',
  dispute: 'Dispute',
  dispute_reversal: 'Dispute won',
  fee: 'Stripe fee',
}

function LineCells({ at, category, invoiceNumber, description, exchangeRate, settled }: AdminPayoutLine) {
  const { amount, fee, net, currency } = settled
  return (
    <>
      <DayCell label="Date" value={at} />
      <Cell label="What">
        {categoryTexts[category] ?? category.replaceAll('_', ' ')}
        {description && <span className="block text-xs text-muted">{description}</span>}
      </Cell>
      <Cell label="Invoice" className="whitespace-nowrap">
        {invoiceNumber ?? '–'}
      </Cell>
      <Cell label="Amount" className={moneyCell}>
        {formatMoney(currency, amount)}
        {exchangeRate !== null && <span className="block text-xs text-muted">at {exchangeRate}</span>}
      </Cell>
      <Cell label="Fee" className={moneyCell}>
        {fee === 0 ? '–' : formatMoney(currency, -fee)}
      </Cell>
      <Cell label="Net" className={moneyCell}>
        {formatMoney(currency, net)}
      </Cell>
    </>
  )
}
