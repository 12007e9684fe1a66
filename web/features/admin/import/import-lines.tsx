import type { ImportLine, ImportVerdict } from '#contract/imports.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Cell, HeadCell, Table } from '#web/ui/table.tsx'

const looks = {
  new: { tone: 'good', text: 'new' },
  there: { tone: 'neutral', text: 'already there' },
  fault: { tone: 'bad', text: 'fault' },
} as const

/** Faults come first, and all of them: each is work. Of the others, nobody reads more than this. */
const mostOthers = 100

/** What stands in the file, and what the server says about it. */
export function ImportLines(props: { lines: ImportLine[]; verdicts: ReadonlyMap<number, ImportVerdict> }) {
  const { lines, verdicts } = props
  const isFault = ({ line }: ImportLine) => verdicts.get(line)?.verdict === 'fault'
  const { faults = [], others = [] } = Object.groupBy(lines, (line) => (isFault(line) ? 'faults' : 'others'))
  const shown = [...faults, ...others.slice(0, mostOthers)]
  return (
    <div className="flex max-h-72 flex-col gap-2 overflow-y-auto">
      <Table label="Lines of the file">
        <thead>
          <tr>
            <HeadCell>Line</HeadCell>
            <HeadCell>Subscriber</HeadCell>
            <HeadCell>Plan</HeadCell>
            <HeadCell>Result</HeadCell>
          </tr>
        </thead>
        <tbody>
          {shown.map((line) => (
            <Line key={line.line} line={line} verdict={verdicts.get(line.line)} />
          ))}
        </tbody>
      </Table>
      {lines.length > shown.length && (
        <p className="text-sm text-muted">
          and {(lines.length - shown.length).toLocaleString('en-US')} more without a fault
        </p>
      )}
    </div>
  )
}

function Line({ line, verdict }: { line: ImportLine; verdict: ImportVerdict | undefined }) {
  const look = verdict && looks[verdict.verdict]
  return (
    <tr>
      <Cell className="text-muted tabular-nums">{line.line}</Cell>
      <Cell className="max-w-56">
        <span className="block truncate">{line.email || '–'}</span>
        <span className="block truncate text-xs text-muted">
          {[line.name, line.tradingViewUsername].filter(Boolean).join(', ')}
        </span>
      </Cell>
      <Cell className="whitespace-nowrap">
        {line.plan}
        <span className="block text-xs text-muted">{line.paidUntil}</span>
      </Cell>
      <Cell>
        {look && <Badge tone={look.tone}>{look.text}</Badge>}
        {verdict?.verdict === 'fault' && (
          <span className="mt-1 block text-xs text-danger">{verdict.message}</span>
        )}
      </Cell>
    </tr>
  )
}
