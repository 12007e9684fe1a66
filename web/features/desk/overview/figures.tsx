import { type ReactNode, useId } from 'react'
import { figures, ranges, type ShownFigures, type ShownMovement } from '#contract/desk/figures.ts'
import { exactDollars } from '#contract/money.ts'
import { leaveReasonTexts } from '#contract/selling/leaving.ts'
import { leaveReasons, movementCauses, movementKinds } from '#contract/statuses.ts'
import { useData } from '#web/api/use-data.ts'
import { Skeleton } from '#web/ui/card.tsx'
import { type Href, Link } from '#web/ui/navigation.tsx'
import { Cell, HeadCell, Table } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { CustomerCell, CustomerLink } from '../customers/customer-link.tsx'
import { Filter, RecordList } from '../lists/record-list.tsx'
import { Failed } from '../lists/record-table.tsx'
import { type Chosen, useFilters } from '../lists/use-filters.ts'
import { usePages } from '../lists/use-pages.ts'
import { Figure, Meaning } from './figure.tsx'
import { causeTexts, kindTexts, meanings, monthName, perMonth, signed } from './words.ts'

const choices = {
  kind: movementKinds,
  cause: movementCauses,
  reason: leaveReasons,
  month: 'text',
  range: ranges,
} as const
type Choice = Chosen<typeof choices>
const rangeTexts = [
  ['30d', '30 days'],
  ['3m', '3 months'],
  ['all', 'All time'],
] as const
const number = (value: number) => value.toLocaleString('en-US')

export default function Figures() {
  const [chosen, choose] = useFilters(choices)
  const range = chosen.range ?? '12m'
  const { data, isError, refetch } = useData(figures.adminShow, { range })
  if (isError) return <Failed retry={() => void refetch()} />
  const people = (chosen.kind || chosen.cause || chosen.reason || chosen.month) && (
    <People chosen={chosen} choose={choose} />
  )
  const proof = data && <Proof proof={data.proof} />
  return (
    <section aria-label="Figures" className="flex flex-col gap-10">
      <Filter<(typeof rangeTexts)[number][0]>
        label="Range"
        all="12 months"
        options={rangeTexts}
        value={range === '12m' ? undefined : range}
        onChange={(value) => choose({ range: value, month: undefined })}
      />
      {data?.proof && data.proof.differing > 0 && proof}
      {data ? <Moved data={data} range={range} /> : <Skeleton className="h-40 rounded-lg" />}
      {people}
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

function Part(props: { title: string; meaning: string; children: ReactNode }) {
  const { title, meaning, children } = props
  const id = useId()
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col gap-3">
      <h2 id={id} className="text-lg">
        {title}
      </h2>
      <Meaning title={title}>{meaning}</Meaning>
      {children}
    </section>
  )
}

const Nothing = ({ children }: { children: string }) => (
  <p className="rounded-lg border border-dashed border-line px-5 py-4 text-muted">{children}</p>
)

type Range = (typeof ranges)[number]
const peopleAt = (query: Record<string, string>) =>
  `/admin/overview/figures?${new URLSearchParams(query)}` as Href

function Moved({ data, range }: { data: ShownFigures; range: Range }) {
  const { before, movements } = data
  const net = movementKinds.reduce((sum, kind) => sum + movements[kind].arr, 0)
  return (
    <Part title="What moved the revenue" meaning={meanings.moved}>
      <p className="text-muted">
        From {perMonth(before)} to {perMonth(before + net)} of monthly recurring revenue: {signed(net)}.
      </p>
      <dl className="grid grid-cols-1 gap-px overflow-hidden rounded-lg border border-line bg-line shadow-card sm:grid-cols-2 xl:grid-cols-5">
        {movementKinds.map((kind) => (
          <Figure
            key={kind}
            title={kindTexts[kind]}
            meaning={meanings[kind]}
            value={movements[kind].count === 0 ? '–' : signed(movements[kind].arr)}
            note={`${number(movements[kind].count)} ${movements[kind].count === 1 ? 'time' : 'times'}`}
            href={peopleAt({ kind, range })}
          />
        ))}
      </dl>
    </Part>
  )
}

/** Whoever is behind a number. */
function People({ chosen, choose }: { chosen: Choice; choose: (change: Choice) => void }) {
  const { kind, cause, reason, month } = chosen
  const range = month ? undefined : (chosen.range ?? '12m')
  const query = usePages(figures.adminMovements, { kind, cause, reason, month, range })
  return (
    <section aria-label="People" className="flex min-w-0 flex-col gap-3">
      <h2 className="text-lg">The people behind it</h2>
      <RecordList
        label="Movements"
        noun={['movement', 'movements']}
        columns={['Person', 'Movement', 'Why', 'Change per month', 'Before and after', 'Date']}
        query={query}
        chosen={chosen}
        chips={[
          kind && { text: kindTexts[kind], remove: () => choose({ kind: undefined }) },
          cause && { text: causeTexts[cause], remove: () => choose({ cause: undefined }) },
          reason && { text: leaveReasonTexts[reason], remove: () => choose({ reason: undefined }) },
          month && { text: `In ${monthName(month)}`, remove: () => choose({ month: undefined }) },
        ]}
        none={{ title: 'No movements yet', description: 'They begin with the first payment.' }}
        renderRow={(movement) => <Row {...movement} />}
      />
    </section>
  )
}

function Row({ user, kind, cause, reason, comment, arrBefore, arrAfter, at }: ShownMovement) {
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
      <Cell label="Date" className="whitespace-nowrap">
        <Time value={at} />
      </Cell>
    </>
  )
}

const numeric = 'py-2 text-right whitespace-nowrap tabular-nums'
const underlined = 'underline decoration-line underline-offset-4 hover:decoration-current'

function Heads({ titles }: { titles: readonly string[] }) {
  return (
    <thead>
      <tr>
        {titles.map((title, index) => (
          <HeadCell key={title} className={index > 0 ? 'text-right' : ''}>
            {title}
          </HeadCell>
        ))}
      </tr>
    </thead>
  )
}

function RowHead({ children }: { children: ReactNode }) {
  return (
    <th scope="row" className="border-b border-line px-4 py-2 text-left font-normal whitespace-nowrap">
      {children}
    </th>
  )
}

function Stayed({ cohorts }: Pick<ShownFigures, 'cohorts'>) {
  const longest = Math.max(0, ...cohorts.map(({ stayed }) => stayed.length))
  const ages = Array.from({ length: longest }, (_, age) => (age === 0 ? 'Same month' : `+${age}`))
  return (
    <Part title="Who stayed" meaning={meanings.stayed}>
      {cohorts.length === 0 ? (
        <Nothing>Counted every hour, from the first payment on.</Nothing>
      ) : (
        <Table label="Who stayed, by month of first payment">
          <Heads titles={['First paid in', 'People', ...ages]} />
          <tbody>
            {cohorts.map(({ month, joined, stayed }) => (
              <tr key={month}>
                <RowHead>{monthName(month)}</RowHead>
                <Cell className={numeric}>{number(joined)}</Cell>
                {ages.map((age, index) => {
                  const found = stayed[index]
                  return (
                    <Cell key={age} className={numeric}>
                      {found && (
                        <>
                          {Math.round((100 * found.count) / joined)}%{' '}
                          <span className="block text-xs text-muted">{perMonth(found.arr)}</span>
                        </>
                      )}
                    </Cell>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Part>
  )
}

type LeftProps = Pick<ShownFigures, 'lost' | 'reasons'> & { range: Range }

function Left({ lost, reasons, range }: LeftProps) {
  const ended = lost.map(({ cause, ...sum }) => ({ ...sum, text: causeTexts[cause], query: { cause } }))
  const said = reasons.map(({ reason, ...sum }) => ({
    ...sum,
    text: leaveReasonTexts[reason],
    query: { reason },
  }))
  return (
    <Part title="Why people left" meaning={meanings.left}>
      {lost.length === 0 ? (
        <Nothing>No one has left in this time.</Nothing>
      ) : (
        <div className="grid items-start gap-5 lg:grid-cols-2">
          <Reasons title="What ended it" rows={ended} range={range} />
          {said.length > 0 && <Reasons title="What they said" rows={said} range={range} />}
        </div>
      )}
    </Part>
  )
}

type Reason = { text: string; query: Record<string, string>; count: number; arr: number }

function Reasons({ title, rows, range }: { title: string; rows: Reason[]; range: Range }) {
  return (
    <Table label={title}>
      <Heads titles={[title, 'People', 'Per month']} />
      <tbody>
        {rows.map(({ text, query, count, arr }) => (
          <tr key={text}>
            <RowHead>
              <Link href={peopleAt({ kind: 'churn', ...query, range })} className={underlined}>
                {text}
              </Link>
            </RowHead>
            <Cell className={numeric}>{number(count)}</Cell>
            <Cell className={numeric}>{signed(arr)}</Cell>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

function Cash({ cash }: Pick<ShownFigures, 'cash'>) {
  const cell = (month: string, kind: string, amount: number) => (
    <Cell className={numeric}>
      {amount === 0 ? (
        '–'
      ) : (
        <Link href={`/admin/purchases/payments?period=${month}&kind=${kind}`} className={underlined}>
          {exactDollars(amount)}
        </Link>
      )}
    </Cell>
  )
  return (
    <Part title="Cash" meaning={meanings.cash}>
      {cash.length === 0 ? (
        <Nothing>No payments in this time.</Nothing>
      ) : (
        <Table label="Cash by month">
          <Heads titles={['Month', 'Paid', 'Tax in it', 'Refunded', 'Lost to disputes', 'Left']} />
          <tbody>
            {cash.map(({ month, paid, tax, refunded, lost }) => (
              <tr key={month}>
                <RowHead>{monthName(month)}</RowHead>
                {cell(month, 'payment', paid)}
                <Cell className={numeric}>{tax === 0 ? '–' : exactDollars(tax)}</Cell>
                {cell(month, 'refund', refunded)}
                {cell(month, 'dispute', lost)}
                <Cell className={`${numeric} font-medium`}>{exactDollars(paid - refunded - lost)}</Cell>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Part>
  )
}

function Proof({ proof }: Pick<ShownFigures, 'proof'>) {
  return (
    <Part title="Compared with Stripe" meaning={meanings.proof}>
      {proof ? (
        <>
          <p role={proof.differing > 0 ? 'alert' : undefined}>
            <Time value={proof.at} withClock />: {number(proof.compared)}{' '}
            {proof.compared === 1 ? 'subscription comes' : 'subscriptions come'} to {perMonth(proof.atStripe)}{' '}
            a month at Stripe and to {perMonth(proof.here)} here.{' '}
            {proof.differing === 0 ? 'Every one is the same.' : `${number(proof.differing)} differ.`}
            {proof.elsewhere > 0 &&
              ` Another ${perMonth(proof.elsewhere)} was paid elsewhere, which Stripe doesn’t know.`}
          </p>
          {proof.differences.length > 0 && (
            <Table label="Subscriptions that differ">
              <Heads titles={['Subscription', 'At Stripe', 'Here']} />
              <tbody>
                {proof.differences.map(({ subscriptionId, userId, atStripe, here }) => (
                  <tr key={subscriptionId}>
                    <RowHead>
                      {userId ? <CustomerLink id={userId}>{subscriptionId}</CustomerLink> : subscriptionId}
                    </RowHead>
                    <Cell className={numeric}>{perMonth(atStripe)}</Cell>
                    <Cell className={numeric}>{perMonth(here)}</Cell>
                  </tr>
                ))}
              </tbody>
            </Table>
          )}
        </>
      ) : (
        <Nothing>The first comparison runs tonight.</Nothing>
      )}
    </Part>
  )
}
