import { figures, ranges, type ShownMovement } from '#contract/desk/figures.ts'
import { movementKinds } from '#contract/statuses.ts'
import { Cell } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { CustomerCell } from '../customers/customer-link.tsx'
import { Filter, RecordList } from '../lists/record-list.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { usePages } from '../lists/use-pages.ts'
import { causeTexts, kindTexts, monthName, perMonth, signed } from './words.ts'

const choices = { kind: movementKinds, month: 'text', range: ranges } as const
const columns = ['Person', 'Movement', 'Why', 'Change per month', 'Before and after', 'Date']
const rangeTexts = [
  ['30d', 'Last 30 days'],
  ['3m', 'Last 3 months'],
  ['12m', 'Last 12 months'],
] as const

/** The people behind the figures. */
export default function Movements() {
  const [chosen, choose] = useFilters(choices)
  const query = usePages(figures.adminMovements, chosen)
  return (
    <RecordList
      label="Movements"
      noun={['movement', 'movements']}
      columns={columns}
      query={query}
      chosen={chosen}
      controls={
        <>
          <Filter
            label="Movement"
            all="All movements"
            options={movementKinds.map((kind) => [kind, kindTexts[kind]])}
            value={chosen.kind}
            onChange={(kind) => choose({ kind })}
          />
          <Filter<(typeof rangeTexts)[number][0]>
            label="Range"
            all="All time"
            options={rangeTexts}
            value={chosen.range === 'all' ? undefined : chosen.range}
            onChange={(range) => choose({ range })}
          />
        </>
      }
      chips={[
        chosen.month && {
          text: `In ${monthName(chosen.month)}`,
          remove: () => choose({ month: undefined }),
        },
      ]}
      none={{ title: 'No movements yet', description: 'They begin with the first payment.' }}
      renderRow={(movement) => <Row {...movement} />}
    />
  )
}

function Row({ user, kind, cause, arrBefore, arrAfter, at }: ShownMovement) {
  return (
    <>
      <CustomerCell user={user} />
      <Cell label="Movement">{kindTexts[kind]}</Cell>
      <Cell label="Why">{causeTexts[cause]}</Cell>
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
