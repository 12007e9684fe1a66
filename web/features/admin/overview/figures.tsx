import { figureDefinitions, kindDefinitions } from '#contract/admin/figure-definitions.ts'
import { type AdminFigures, type AdminMovement, figures, type Range, ranges } from '#contract/admin/figures.ts'
import { leaveReasonTexts } from '#contract/selling/leave-reason-texts.ts'
import { leaveReasons, movementCauses, movementKinds } from '#contract/statuses.ts'
import { useData } from '#web/api/client.ts'
import { Pending } from '#web/ui/card.tsx'
import { type Href, Link } from '#web/ui/navigation.tsx'
import { Cell } from '#web/ui/table.tsx'
import { CustomerCell } from '../customers/customer-link.tsx'
import { FilterSelect, RecordList } from '../lists/record-list.tsx'
import { DayCell } from '../lists/record-table.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { formatNumber } from '../parts/count.ts'
import { EmptyNote, Figure, FigureRow, FigureSection, FigureTable, linkClasses } from './figure.tsx'
import { CashTable, CohortTable, StripeComparison, StripeMatchLine } from './figure-tables.tsx'
import { causeTexts, formatMonth, formatPerMonth, formatSignedPerMonth, kindTexts, movementsMeaning } from './words.ts'

const filterChoices = {
  kind: movementKinds,
  cause: movementCauses,
  reason: leaveReasons,
  month: 'text',
  range: ranges,
} as const
const rangeTexts = [
  ['30d', '30 days'],
  ['3m', '3 months'],
  ['all', 'All time'],
] as const

export default function Figures() {
  const [filters, setFilters] = useFilters(filterChoices)
  const range = filters.range ?? '12m'
  const query = useData(figures.adminShow, { range })
  const { data } = query
  const { kind, cause, reason, month } = filters
  const isListFiltered = Boolean(kind || cause || reason || month)
  const comparison = data && <StripeComparison proof={data.proof} />
  return (
    <section aria-label="Figures" className="flex flex-col gap-10">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <FilterSelect
          label="Range"
          all="12 months"
          options={rangeTexts}
          value={range === '12m' ? undefined : range}
          onChange={(value) => setFilters({ range: value as Range | undefined, month: undefined })}
        />
        <a href={figures.adminExport.path} download className={linkClasses}>
          Download the last 12 months (CSV)
        </a>
      </div>
      {data && <StripeMatchLine proof={data.proof} />}
      {/* Differences come first; a comparison without differences comes last. */}
      {data?.proof && data.proof.differing > 0 && comparison}
      {data ? <MovementTotals data={data} range={range} /> : <Pending query={query} className="h-40 rounded-lg" />}
      {isListFiltered && <MovementList range={month ? undefined : range} />}
      {data && (
        <>
          <CohortTable cohorts={data.cohorts} />
          <LeaverTables lost={data.lost} reasons={data.reasons} range={range} />
          <CashTable cash={data.cash} />
          {!data.proof?.differing && comparison}
        </>
      )}
    </section>
  )
}

const movementsHref = (query: Record<string, string>) => `/admin/overview/figures?${new URLSearchParams(query)}` as Href

function MovementTotals({ data, range }: { data: AdminFigures; range: Range }) {
  const { before: arrBefore, movements } = data
  const net = movementKinds.reduce((sum, kind) => sum + movements[kind].arr, 0)
  return (
    <FigureSection title="What moved the revenue" meaning={movementsMeaning}>
      <p className="text-muted">
        From {formatPerMonth(arrBefore)} to {formatPerMonth(arrBefore + net)} of monthly recurring revenue:{' '}
        {formatSignedPerMonth(net)}.
      </p>
      <FigureRow>
        {movementKinds.map((kind) => (
          <Figure
            key={kind}
            {...kindDefinitions[kind]}
            value={movements[kind].count === 0 ? '–' : formatSignedPerMonth(movements[kind].arr)}
            note={`${formatNumber(movements[kind].count)} ${movements[kind].count === 1 ? 'time' : 'times'}`}
            href={movementsHref({ kind, range })}
          />
        ))}
      </FigureRow>
    </FigureSection>
  )
}

function MovementList({ range }: { range: Range | undefined }) {
  return (
    <section aria-label="People" className="flex min-w-0 flex-col gap-3">
      <h2 className="text-lg">The people behind it</h2>
      <RecordList
        label="Movements"
        noun={['movement', 'movements']}
        columns={['Person', 'Movement', 'Why', 'Change per month', 'Before and after', 'Date']}
        list={figures.adminMovements}
        input={{ range }}
        chips={{
          kind: kindTexts,
          cause: causeTexts,
          reason: leaveReasonTexts,
          month: (name) => `In ${formatMonth(name)}`,
        }}
        none={{ title: 'No movements yet', description: 'They begin with the first payment.' }}
        renderRow={(movement) => <MovementCells {...movement} />}
      />
    </section>
  )
}

function MovementCells({ user, kind, cause, reason, comment, arrBefore, arrAfter, at }: AdminMovement) {
  return (
    <>
      <CustomerCell user={user} />
      <Cell label="Movement">{kindTexts[kind]}</Cell>
      <Cell label="Why" className="max-w-80">
        {causeTexts[cause]}
        {reason && <span className="block text-muted">{leaveReasonTexts[reason]}</span>}
        {comment && <q className="block text-xs text-muted">{comment}</q>}
      </Cell>
      <Cell label="Change per month" className="whitespace-nowrap tabular-nums">
        {formatSignedPerMonth(arrAfter - arrBefore)}
      </Cell>
      <Cell label="Before and after" className="whitespace-nowrap text-muted tabular-nums">
        {formatPerMonth(arrBefore)} → {formatPerMonth(arrAfter)}
      </Cell>
      <DayCell label="Date" value={at} />
    </>
  )
}

type LeaverTablesProps = Pick<AdminFigures, 'lost' | 'reasons'> & { range: Range }

function LeaverTables({ lost, reasons, range }: LeaverTablesProps) {
  const causeRows = lost.map(({ cause, ...sum }) => ({ ...sum, text: causeTexts[cause], query: { cause } }))
  const reasonRows = reasons.map(({ reason, ...sum }) => ({
    ...sum,
    text: leaveReasonTexts[reason],
    query: { reason },
  }))
  return (
    <FigureSection {...figureDefinitions.left}>
      {lost.length === 0 ? (
        <EmptyNote>No one has left in this time.</EmptyNote>
      ) : (
        <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-2">
          <ReasonTable title="What ended it" rows={causeRows} range={range} />
          {reasonRows.length > 0 && <ReasonTable title="What they said" rows={reasonRows} range={range} />}
        </div>
      )}
    </FigureSection>
  )
}

type ReasonTotal = { text: string; query: Record<string, string>; count: number; arr: number }

function ReasonTable({ title, rows, range }: { title: string; rows: ReasonTotal[]; range: Range }) {
  return (
    <FigureTable
      label={title}
      heads={[title, 'People', 'Per month']}
      rows={rows.map(({ text, query, count, arr }) => [
        <Link key={text} href={movementsHref({ kind: 'churn', ...query, range })} className={linkClasses}>
          {text}
        </Link>,
        formatNumber(count),
        formatSignedPerMonth(arr),
      ])}
    />
  )
}
