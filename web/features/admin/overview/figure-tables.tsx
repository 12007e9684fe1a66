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
import { number } from '../parts/count.ts'
import { FigureSection, FigureTable, Nothing, underlined } from './figure.tsx'
import { monthName, perMonth, proofMeaning } from './words.ts'

const cashFigures = ['cashPaid', 'cashTax', 'cashRefunded', 'cashLost', 'cashLeft'] as const

export function Stayed({ cohorts }: Pick<AdminFigures, 'cohorts'>) {
  const longest = Math.max(0, ...cohorts.map(({ stayed }) => stayed.length))
  const ages = Array.from({ length: longest }, (_, age) => (age === 0 ? 'Same' : `+${age}`))
  return (
    <FigureSection {...figureDefinitions.stayed}>
      {cohorts.length === 0 ? (
        <Nothing>It begins with the first payment.</Nothing>
      ) : (
        <Table label="Who stayed, by month of first payment">
          <thead>
            <tr>
              <HeadCell className={stickyFirst}>First paid in</HeadCell>
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
                  className={classes(stickyFirst, 'border-b border-line px-4 text-left font-normal whitespace-nowrap')}
                >
                  {monthName(month)}
                </th>
                <Cell className="h-11 px-2 py-1 text-right tabular-nums">{number(joined)}</Cell>
                {ages.map((title, age) => (
                  <Stayers key={title} joined={joined} at={stayed[age]} />
                ))}
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </FigureSection>
  )
}

const stickyFirst = 'sticky left-0 z-10 bg-surface'
/** Tints from the lowest to the highest share. Stronger ones would lack contrast in the dark theme. */
const tints = ['', 'bg-accent/6', 'bg-accent/12', 'bg-accent/18', 'bg-accent/24', 'bg-accent/30']

function Stayers({ joined, at }: { joined: number; at: { count: number; arr: number } | undefined }) {
  if (!at) return <Cell className="px-2 py-1" />
  const share = at.count / joined
  return (
    <Cell
      title={`${number(at.count)} of ${number(joined)}, ${perMonth(at.arr)} a month`}
      className={classes('px-2 py-1 text-right tabular-nums', tints[Math.min(5, Math.ceil(share * 5))])}
    >
      {Math.round(100 * share)}%<span className="sr-only">, {perMonth(at.arr)} a month</span>
    </Cell>
  )
}

export function Cash({ cash }: Pick<AdminFigures, 'cash'>) {
  const paid = (month: string, kind: string, amount: number) =>
    amount === 0 ? (
      '–'
    ) : (
      <Link href={`/admin/purchases/payments?period=${month}&kind=${kind}`} className={underlined}>
        {exactDollars(amount)}
      </Link>
    )
  return (
    <FigureSection title="Cash" meaning={cashMeaning}>
      {cash.length === 0 ? (
        <Nothing>No payments in this time.</Nothing>
      ) : (
        <FigureTable
          label="Cash by month"
          heads={['Month', ...cashFigures.map((name) => figureDefinitions[name].title)]}
          rows={cash.map((each) => [
            monthName(each.month),
            paid(each.month, 'payment', each.paid),
            each.tax === 0 ? '–' : exactDollars(each.tax),
            paid(each.month, 'refund', each.refunded),
            paid(each.month, 'dispute', each.lost),
            <strong key="left" className="font-medium">
              {exactDollars(each.paid - each.refunded - each.lost)}
            </strong>,
          ])}
        />
      )}
    </FigureSection>
  )
}

const explanations: Record<ExplainedDifference, string> = {
  given: 'Free time that you gave',
  forgiven: 'A renewal that you voided',
  not_collected: 'Payment collection is paused',
  paused: 'Paused',
  next_invoice: 'A price or discount that counts with the next invoice',
}

const faults: Record<DifferenceFault, string> = {
  books: 'Its invoices say otherwise',
  missing: 'Stripe doesn’t have it',
  unknown: 'Not in the shop',
}

/** Result of the last comparison with Stripe, in one line. */
export function ProofLine({ proof }: Pick<AdminFigures, 'proof'>) {
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

export function Proof({ proof }: Pick<AdminFigures, 'proof'>) {
  return (
    <FigureSection title="Compared with Stripe" meaning={proofMeaning}>
      {proof ? (
        <>
          <p role={proof.differing + proof.unreadable > 0 ? 'alert' : undefined}>
            <Time value={proof.at} withClock />: {number(proof.compared)}{' '}
            {proof.compared === 1 ? 'subscription comes' : 'subscriptions come'} to {perMonth(proof.atStripe)} a month
            at Stripe and to {perMonth(proof.here)} here.{' '}
            {proof.differing === 0
              ? proof.explained.length === 0
                ? 'Every one is the same.'
                : 'Every difference is explained.'
              : `${number(proof.differing)} differ.`}
            {proof.unreadable > 0 && ` ${number(proof.unreadable)} couldn’t be read.`}
            {proof.elsewhere > 0 &&
              ` Another ${perMonth(proof.elsewhere)} was paid elsewhere, which Stripe doesn’t know.`}
          </p>
          {proof.explained.length > 0 && (
            <FigureTable
              label="Explained differences"
              heads={['Explained', 'Subscriptions', 'A month here']}
              rows={proof.explained.map(({ kind, count, arr }) => [explanations[kind], number(count), perMonth(arr)])}
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
                faults[kind],
                perMonth(atStripe),
                perMonth(here),
              ])}
            />
          )}
        </>
      ) : (
        <Nothing>The first comparison runs tonight.</Nothing>
      )}
    </FigureSection>
  )
}
