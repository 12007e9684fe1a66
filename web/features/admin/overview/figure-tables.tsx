import { CircleCheck } from 'lucide-react'
import { cashMeaning, figureDefinitions } from '#contract/admin/figure-definitions.ts'
import type { AdminFigures } from '#contract/admin/figures.ts'
import { exactDollars } from '#contract/money.ts'
import type { DifferenceFault, ExplainedDifference } from '#contract/statuses.ts'
import { classes } from '#web/ui/classes.ts'
import { Link } from '#web/ui/navigation.tsx'
import { Cell, HeadCell, Table } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { CustomerLink } from '../customers/customer-link.tsx'
import { formatNumber } from '../parts/count.ts'
import { EmptyNote, FigureSection, FigureTable, linkClasses } from './figure.tsx'
import { formatMonth, formatPerMonth, proofMeaning } from './words.ts'

const cashFigures = ['cashPaid', 'cashTax', 'cashRefunded', 'cashLost', 'cashLeft'] as const

export function CohortTable({ cohorts }: Pick<AdminFigures, 'cohorts'>) {
  const longestAge = Math.max(0, ...cohorts.map(({ stayed }) => stayed.length))
  // Columns: the month of the first payment, then the number of months since.
  const ages = Array.from({ length: longestAge }, (_, age) => (age === 0 ? 'Same' : `+${age}`))
  return (
    <FigureSection {...figureDefinitions.stayed}>
      {cohorts.length === 0 ? (
        <EmptyNote>It begins with the first payment.</EmptyNote>
      ) : (
        <Table label="Who stayed, by month of first payment">
          <thead>
            <tr>
              <HeadCell className={stickyColumn}>First paid in</HeadCell>
              {['People', ...ages].map((title) => (
                <HeadCell key={title} className="px-2 text-right">
                  {title}
                </HeadCell>
              ))}
            </tr>
          </thead>
          <tbody>
            {cohorts.map(({ month, joined, stayed }) => (
              <tr key={month}>
                <th
                  scope="row"
                  className={classes(stickyColumn, 'border-b border-line px-4 text-left font-normal whitespace-nowrap')}
                >
                  {formatMonth(month)}
                </th>
                <Cell className="h-11 px-2 py-1 text-right tabular-nums">{formatNumber(joined)}</Cell>
                {ages.map((title, age) => (
                  <CohortCell key={title} joined={joined} remaining={stayed[age]} />
                ))}
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </FigureSection>
  )
}

const stickyColumn = 'sticky left-0 z-10 bg-surface'
/** Background tints from the lowest to the highest share. Stronger tints would lack contrast in the dark theme. */
const tints = ['', 'bg-accent/6', 'bg-accent/12', 'bg-accent/18', 'bg-accent/24', 'bg-accent/30']

function CohortCell({ joined, remaining }: { joined: number; remaining: { count: number; arr: number } | undefined }) {
  if (!remaining) return <Cell className="px-2 py-1" />
  const share = remaining.count / joined
  return (
    <Cell
      title={`${formatNumber(remaining.count)} of ${formatNumber(joined)}, ${formatPerMonth(remaining.arr)} a month`}
      className={classes('px-2 py-1 text-right tabular-nums', tints[Math.min(5, Math.ceil(share * 5))])}
    >
      {Math.round(100 * share)}%<span className="sr-only">, {formatPerMonth(remaining.arr)} a month</span>
    </Cell>
  )
}

export function CashTable({ cash }: Pick<AdminFigures, 'cash'>) {
  const renderAmountLink = (month: string, kind: string, amount: number) =>
    amount === 0 ? (
      '–'
    ) : (
      <Link href={`/admin/purchases/payments?period=${month}&kind=${kind}`} className={linkClasses}>
        {exactDollars(amount)}
      </Link>
    )
  return (
    <FigureSection title="Cash" meaning={cashMeaning}>
      {cash.length === 0 ? (
        <EmptyNote>No payments in this time.</EmptyNote>
      ) : (
        <FigureTable
          label="Cash by month"
          heads={['Month', ...cashFigures.map((name) => figureDefinitions[name].title)]}
          rows={cash.map((monthlyCash) => [
            formatMonth(monthlyCash.month),
            renderAmountLink(monthlyCash.month, 'payment', monthlyCash.paid),
            monthlyCash.tax === 0 ? '–' : exactDollars(monthlyCash.tax),
            renderAmountLink(monthlyCash.month, 'refund', monthlyCash.refunded),
            renderAmountLink(monthlyCash.month, 'dispute', monthlyCash.lost),
            <strong key="left" className="font-medium">
              {exactDollars(monthlyCash.paid - monthlyCash.refunded - monthlyCash.lost)}
            </strong>,
          ])}
        />
      )}
    </FigureSection>
  )
}

const explanationTexts: Record<ExplainedDifference, string> = {
  given: 'Free time that you gave',
  forgiven: 'A renewal that you voided',
  not_collected: 'Payment collection is paused',
  paused: 'Paused',
  next_invoice: 'A price or discount that counts with the next invoice',
}

const differenceTexts: Record<DifferenceFault, string> = {
  books: 'Its invoices say otherwise',
  missing: 'Stripe doesn’t have it',
  unknown: 'Not in the shop',
}

export function StripeMatchLine({ proof }: Pick<AdminFigures, 'proof'>) {
  if (!proof || proof.differing + proof.unreadable > 0) return null
  return (
    <p className="flex items-center gap-2 text-sm font-medium text-accent-strong">
      <CircleCheck className="size-4.5 shrink-0" />
      <span>
        Matches Stripe, checked <Time value={proof.at} withClock />
      </span>
    </p>
  )
}

function comparisonResult({ differing, explained }: NonNullable<AdminFigures['proof']>) {
  if (differing > 0) return `${formatNumber(differing)} differ.`
  return explained.length > 0 ? 'Every difference is explained.' : 'Every one is the same.'
}

export function StripeComparison({ proof }: Pick<AdminFigures, 'proof'>) {
  return (
    <FigureSection title="Compared with Stripe" meaning={proofMeaning}>
      {proof ? (
        <>
          <p role={proof.differing + proof.unreadable > 0 ? 'alert' : undefined}>
            <Time value={proof.at} withClock />: {formatNumber(proof.compared)}{' '}
            {proof.compared === 1 ? 'subscription comes' : 'subscriptions come'} to {formatPerMonth(proof.atStripe)} a
            month at Stripe and to {formatPerMonth(proof.here)} here. {comparisonResult(proof)}
            {proof.unreadable > 0 && ` ${formatNumber(proof.unreadable)} couldn’t be read.`}
            {proof.elsewhere > 0 &&
              ` Another ${formatPerMonth(proof.elsewhere)} was paid elsewhere, which Stripe doesn’t know.`}
          </p>
          {proof.explained.length > 0 && (
            <FigureTable
              label="Explained differences"
              heads={['Explained', 'Subscriptions', 'A month here']}
              rows={proof.explained.map(({ kind, count, arr }) => [
                explanationTexts[kind],
                formatNumber(count),
                formatPerMonth(arr),
              ])}
            />
          )}
          {proof.differences.length > 0 && (
            <FigureTable
              label="Subscriptions that differ"
              heads={['Subscription', 'Why', 'At Stripe', 'Here']}
              rows={proof.differences.map(({ subscriptionId, userId, kind, atStripe, here }) => [
                userId ? (
                  <CustomerLink key={userId} id={userId}>
                    {subscriptionId}
                  </CustomerLink>
                ) : (
                  subscriptionId
                ),
                differenceTexts[kind],
                formatPerMonth(atStripe),
                formatPerMonth(here),
              ])}
            />
          )}
        </>
      ) : (
        <EmptyNote>The first comparison runs tonight.</EmptyNote>
      )}
    </FigureSection>
  )
}
