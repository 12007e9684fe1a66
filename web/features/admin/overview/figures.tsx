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
import { number } from '../parts/count.ts'
import { Figure, Figures as FigureRow, FigureSection, FigureTable, Nothing, underlined } from './figure.tsx'
import { Cash, Proof, ProofLine, Stayed } from './figure-tables.tsx'
import { causeTexts, kindTexts, monthName, movedMeaning, perMonth, signed } from './words.ts'

const choices = {
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
  const [chosen, choose] = useFilters(choices)
  const range = chosen.range ?? '12m'
  const query = useData(figures.adminShow, { range })
  const { data } = query
  const { kind, cause, reason, month } = chosen
  const proof = data && <Proof proof={data.proof} />
  return (
    <section aria-label="Figures" className="flex flex-col gap-10">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <FilterSelect
          label="Range"
          all="12 months"
          options={rangeTexts}
          value={range === '12m' ? undefined : range}
          onChange={(value) => choose({ range: value as Range | undefined, month: undefined })}
        />
        <a href={figures.adminExport.path} download className={underlined}>
          Download the last 12 months (CSV)
        </a>
      </div>
      {data && <ProofLine proof={data.proof} />}
      {data?.proof && data.proof.differing > 0 && proof}
      {data ? <Moved data={data} range={range} /> : <Pending query={query} className="h-40 rounded-lg" />}
      {(kind || cause || reason || month) && <People range={month ? undefined : range} />}
      {data && (
        <>
          <Stayed cohorts={data.cohorts} />
          <Left lost={data.lost} reasons={data.reasons} range={range} />
          <Cash cash={data.cash} />
          {!data.proof?.differing && proof}
        </>
      )}
    </section>
  )
}

const peopleAt = (query: Record<string, string>) => `/admin/overview/figures?${new URLSearchParams(query)}` as Href

function Moved({ data, range }: { data: AdminFigures; range: Range }) {
  const { before, movements } = data
  const net = movementKinds.reduce((sum, kind) => sum + movements[kind].arr, 0)
  return (
    <FigureSection title="What moved the revenue" meaning={movedMeaning}>
      <p className="text-muted">
        From {perMonth(before)} to {perMonth(before + net)} of monthly recurring revenue: {signed(net)}.
      </p>
      <FigureRow>
        {movementKinds.map((kind) => (
          <Figure
            key={kind}
            {...kindDefinitions[kind]}
            value={movements[kind].count === 0 ? '–' : signed(movements[kind].arr)}
            note={`${number(movements[kind].count)} ${movements[kind].count === 1 ? 'time' : 'times'}`}
            href={peopleAt({ kind, range })}
          />
        ))}
      </FigureRow>
    </FigureSection>
  )
}

function People({ range }: { range: Range | undefined }) {
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
          month: (name) => `In ${monthName(name)}`,
        }}
        none={{ title: 'No movements yet', description: 'They begin with the first payment.' }}
        renderRow={(movement) => <Row {...movement} />}
      />
    </section>
  )
}

function Row({ user, kind, cause, reason, comment, arrBefore, arrAfter, at }: AdminMovement) {
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
        {signed(arrAfter - arrBefore)}
      </Cell>
      <Cell label="Before and after" className="whitespace-nowrap text-muted tabular-nums">
        {perMonth(arrBefore)} → {perMonth(arrAfter)}
      </Cell>
      <DayCell label="Date" value={at} />
    </>
  )
}

type LeftProps = Pick<AdminFigures, 'lost' | 'reasons'> & { range: Range }

function Left({ lost, reasons, range }: LeftProps) {
  const ended = lost.map(({ cause, ...sum }) => ({ ...sum, text: causeTexts[cause], query: { cause } }))
  const rows = reasons.map(({ reason, ...sum }) => ({ ...sum, text: leaveReasonTexts[reason], query: { reason } }))
  return (
    <FigureSection {...figureDefinitions.left}>
      {lost.length === 0 ? (
        <Nothing>No one has left in this time.</Nothing>
      ) : (
        <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-2">
          <Reasons title="What ended it" rows={ended} range={range} />
          {rows.length > 0 && <Reasons title="What they said" rows={rows} range={range} />}
        </div>
      )}
    </FigureSection>
  )
}

type Reason = { text: string; query: Record<string, string>; count: number; arr: number }

function Reasons({ title, rows, range }: { title: string; rows: Reason[]; range: Range }) {
  return (
    <FigureTable
      label={title}
      heads={[title, 'People', 'Per month']}
      rows={rows.map(({ text, query, count, arr }) => [
        <Link key={text} href={peopleAt({ kind: 'churn', ...query, range })} className={underlined}>
          {text}
        </Link>,
        number(count),
        signed(arr),
      ])}
    />
  )
}
