import type { ImportLine, ImportVerdict } from '#contract/desk/imports.ts'
import { Badge } from '#web/ui/badge.tsx'

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
  const left = others.length - mostOthers
  return (
    <section
      aria-label="Lines of the file"
      tabIndex={0}
      className="max-h-72 overflow-y-auto rounded-md border border-line text-sm"
    >
      <ul className="divide-y divide-line">
        {[...faults, ...others.slice(0, mostOthers)].map((line) => (
          <Line key={line.line} line={line} verdict={verdicts.get(line.line)} />
        ))}
        {left > 0 && (
          <li className="p-3 text-muted">and {left.toLocaleString('en-US')} more without a fault</li>
        )}
      </ul>
    </section>
  )
}

function Line({ line, verdict }: { line: ImportLine; verdict: ImportVerdict | undefined }) {
  const { email, name, tradingViewUsername, plan, paidUntil } = line
  const look = verdict && looks[verdict.verdict]
  return (
    <li className="flex items-start gap-3 p-3">
      <span className="w-10 shrink-0 text-muted tabular-nums">
        <span className="sr-only">Line </span>
        {line.line}
      </span>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{email || '–'}</span>
        <span className="block text-xs break-words text-muted">
          {[name, tradingViewUsername, plan, paidUntil && `until ${paidUntil}`].filter(Boolean).join(', ')}
        </span>
        {verdict?.verdict === 'fault' && (
          <span className="block text-xs font-medium break-words text-danger">{verdict.message}</span>
        )}
      </span>
      {look && <Badge tone={look.tone}>{look.text}</Badge>}
    </li>
  )
}
