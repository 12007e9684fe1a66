import { useQueryClient } from '@tanstack/react-query'
import { FileUp } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { ImportLine, ImportVerdict } from '#contract/admin/imports.ts'
import { useSoldPlans } from '#web/api/settings.tsx'
import { Button } from '#web/ui/button.tsx'
import { Checkbox } from '#web/ui/checkbox.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { Badge } from '#web/ui/notice.tsx'
import { formatCount, formatNumber } from '../../parts/count.ts'
import { ColumnChoice } from './columns.tsx'
import { formatDay, readDay } from './read-days.ts'
import { type ImportState, useImport } from './use-import.ts'

export default function ImportSubscribersDialog({ onClose }: { onClose: () => void }) {
  const { state, products, open, read, chooseColumns, importLines, stop } = useImport()
  const client = useQueryClient()
  const plans = useSoldPlans().map(({ key }) => key)
  const [invite, setInvite] = useState(true)
  const [hasAccess, setHasAccess] = useState(true)
  const status = useRef<HTMLOutputElement>(null)
  // Each step removes the field or button that had the focus.
  useEffect(() => {
    if (state.step !== 'file' && state.step !== 'checking' && state.step !== 'running') status.current?.focus()
  }, [state.step])

  function close() {
    stop()
    if (state.step === 'running' || state.step === 'done') void client.invalidateQueries()
    onClose()
  }

  const counts = countsOf(state)
  function renderContent() {
    if (state.step === 'file') return <FilePicker fault={state.fault} onPick={(file) => void open(file)} />
    if (state.step === 'columns')
      return (
        <ColumnChoice
          unmapped={state.unmapped}
          products={products}
          onClose={close}
          onChosen={(mapping) => void chooseColumns(mapping)}
        />
      )
    if (state.step === 'days')
      return (
        <output ref={status} tabIndex={-1} className="block text-sm font-medium outline-none">
          Which day is {state.unclearDay}? Every day in this file is then read like it.
        </output>
      )
    return (
      <>
        <output ref={status} tabIndex={-1} className="block text-sm font-medium outline-none">
          {describeState(state, counts)}
        </output>
        {state.notes.map((note) => (
          <p key={note} className="text-sm break-words text-warning">
            {note}
          </p>
        ))}
        {'remaining' in state && (
          <progress
            aria-label="Import"
            className="h-1.5 w-full accent-accent"
            value={state.lines.length - state.remaining.length}
            max={state.lines.length}
          />
        )}
        <ImportLines lines={state.lines} verdicts={state.verdicts} />
      </>
    )
  }

  function renderButtons() {
    // The choice of columns has its own buttons.
    if (state.step === 'columns') return null
    if (state.step === 'done')
      return (
        <Button className="sm:self-end" onClick={close}>
          Done
        </Button>
      )
    if (state.step === 'days')
      return (
        <DialogButtons onClose={close}>
          {(['month', 'day'] as const).map((order) => (
            <Button key={order} onClick={() => void read(state, order)}>
              {formatDay(readDay(state.unclearDay, order))}
            </Button>
          ))}
        </DialogButtons>
      )
    const importText = counts.new > 0 ? `Import ${formatSubscribers(counts.new)}` : 'Import'
    return (
      <DialogButtons onClose={close}>
        <Button
          disabled={state.step === 'file' || (state.step === 'preview' && counts.new === 0)}
          pending={state.step === 'checking' || (state.step === 'running' && !state.stopped)}
          pendingText={state.step === 'checking' ? 'Checking...' : 'Importing...'}
          onClick={() => void importLines({ invite, hasAccess })}
        >
          {state.step === 'running' ? 'Continue' : importText}
        </Button>
      </DialogButtons>
    )
  }

  return (
    <Dialog
      title="Import subscribers"
      description={`A CSV file with emails, plans (${plans.join(' or ')}) and the days until which people have paid, as Gumroad, Stripe or a spreadsheet exports it. Each is booked at today’s price as paid elsewhere, and ends on that day.`}
      onClose={close}
      className="max-w-2xl"
    >
      {renderContent()}
      {state.step === 'preview' && (
        <div className="flex flex-col gap-3">
          <Checkbox
            label="Tell each of them by email, with a link to set a password"
            checked={invite}
            onTick={setInvite}
          />
          <Checkbox label="They have access on TradingView already" checked={hasAccess} onTick={setHasAccess} />
        </div>
      )}
      {renderButtons()}
    </Dialog>
  )
}

function FilePicker({ fault, onPick }: { fault?: string | undefined; onPick: (file: File) => void }) {
  return (
    <div className="flex flex-col gap-2">
      <label className="flex cursor-pointer flex-col items-center gap-2 rounded-lg border border-dashed border-field px-6 py-8 text-center hover:border-accent has-focus-visible:outline-2 has-focus-visible:outline-accent">
        <FileUp className="size-7 text-muted" strokeWidth={1.5} />
        <span className="font-medium">Choose a CSV file</span>
        <span className="text-sm text-muted">You’ll review every line before importing.</span>
        <input
          type="file"
          accept=".csv,text/csv,text/plain"
          className="sr-only"
          onChange={({ target }) => {
            const [file] = target.files ?? []
            if (file) onPick(file)
            target.value = ''
          }}
        />
      </label>
      {fault && (
        <p role="alert" className="text-sm font-medium text-danger">
          {fault}
        </p>
      )}
    </div>
  )
}

type Counts = Record<ImportVerdict['verdict'], number>

function countsOf(state: ImportState): Counts {
  const counts = { new: 0, there: 0, fault: 0 }
  if (!('verdicts' in state)) return counts
  for (const { verdict } of state.verdicts.values()) counts[verdict] += 1
  return counts
}

const formatSubscribers = (count: number) => formatCount(count, 'subscriber')

function describeState(state: Extract<ImportState, { notes: string[] }>, counts: Counts) {
  if (state.step === 'checking') return `Checking ${formatNumber(state.lines.length)} lines...`
  if (state.step === 'running') {
    const booked = `${formatSubscribers(counts.new - state.remaining.length)} booked, ${formatNumber(state.remaining.length)} left.`
    return state.stopped ? `${booked} ${state.stopped}` : booked
  }
  const parts = [`${formatSubscribers(counts.new)} ${state.step === 'done' ? 'booked' : 'to book'}`]
  if (counts.there > 0) parts.push(`${formatNumber(counts.there)} already there`)
  if (counts.fault > 0) parts.push(`${formatNumber(counts.fault)} with a fault`)
  return parts.join(', ')
}

const verdictLooks = {
  new: { tone: 'good', text: 'new' },
  there: { tone: 'neutral', text: 'already there' },
  fault: { tone: 'bad', text: 'fault' },
} as const

/** All lines with a fault are listed first; of the other lines, at most this many. */
const maxValidLines = 100

function ImportLines(props: { lines: ImportLine[]; verdicts: ReadonlyMap<number, ImportVerdict> }) {
  const { lines, verdicts } = props
  const isFault = ({ line }: ImportLine) => verdicts.get(line)?.verdict === 'fault'
  const { faults = [], validLines = [] } = Object.groupBy(lines, (line) => (isFault(line) ? 'faults' : 'validLines'))
  const hiddenCount = validLines.length - maxValidLines
  return (
    <section
      aria-label="Lines of the file"
      tabIndex={0}
      className="max-h-72 overflow-y-auto rounded-md border border-line text-sm"
    >
      <ul className="divide-y divide-line">
        {[...faults, ...validLines.slice(0, maxValidLines)].map((line) => (
          <Line key={line.line} line={line} verdict={verdicts.get(line.line)} />
        ))}
        {hiddenCount > 0 && <li className="p-3 text-muted">and {formatNumber(hiddenCount)} more without a fault</li>}
      </ul>
    </section>
  )
}

function Line({ line, verdict }: { line: ImportLine; verdict: ImportVerdict | undefined }) {
  const { email, name, tradingViewUsername, product, plan, paidUntil } = line
  const look = verdict && verdictLooks[verdict.verdict]
  return (
    <li className="flex items-start gap-3 p-3">
      <span className="w-10 shrink-0 text-muted tabular-nums">
        <span className="sr-only">Line </span>
        {line.line}
      </span>
      <span className="min-w-0 flex-1">
        <span className="block font-medium wrap-anywhere">{email || '–'}</span>
        <span className="block text-xs break-words text-muted">
          {[name, tradingViewUsername, product, plan, paidUntil && `until ${formatDay(paidUntil)}`]
            .filter(Boolean)
            .join(', ')}
        </span>
        {verdict?.verdict === 'fault' && (
          <span className="block text-xs font-medium break-words text-danger">{verdict.message}</span>
        )}
      </span>
      {look && <Badge tone={look.tone}>{look.text}</Badge>}
    </li>
  )
}
