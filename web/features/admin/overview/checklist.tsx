import { ChevronRight, CircleCheck, CircleDashed } from 'lucide-react'
import { type ChecklistKey, checklist, checklistLines } from '#contract/admin/checklist.ts'
import { CallButton } from '#web/api/call-button.tsx'
import { useData } from '#web/api/client.ts'
import { Card, Pending } from '#web/ui/card.tsx'
import { Link } from '#web/ui/navigation.tsx'

const progressTitle = (lines: { isDone: boolean }[]) =>
  `Open your shop: ${lines.filter(({ isDone }) => isDone).length} of ${lines.length}`

export function ChecklistLine() {
  const { data } = useData(checklist.adminShow, {})
  if (!data) return null
  return (
    <Link
      href="/admin/overview"
      className="mb-2 flex min-h-9 items-center gap-2 rounded-md bg-surface px-3 text-sm font-medium hover:bg-accent-soft/60"
    >
      {progressTitle(data)}
      <ChevronRight className="ml-auto size-4 shrink-0 text-muted" />
    </Link>
  )
}

/** Hidden once `npm run go-live` has succeeded. */
export function Checklist() {
  const query = useData(checklist.adminShow, {})
  const { data } = query
  if (data === null) return null
  if (!data) return <Pending query={query} what="the checklist" className="h-96 rounded-lg" />
  return (
    <section aria-labelledby="checklist">
      <Card className="flex flex-col gap-4">
        <h2 id="checklist" className="text-lg">
          {progressTitle(data)}
        </h2>
        <ol className="gap-x-10 md:columns-2">
          {data.map(({ key, isDone }) => (
            <ChecklistItem key={key} name={key} isDone={isDone} />
          ))}
        </ol>
        <p className="text-sm text-muted">
          When every line is done, stop the shop and run <code className="font-mono text-ink">npm run go-live</code>. It
          checks all of this, takes a backup, and removes the test data. Then start the shop: it sells.
        </p>
      </Card>
    </section>
  )
}

/** Renders text in backticks as code, because `--` looks like a dash in the text font. */
const renderCommands = (text: string) =>
  text.split('`').map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part))

function ChecklistItem({ name, isDone }: { name: ChecklistKey; isDone: boolean }) {
  const line = checklistLines[name]
  const Icon = isDone ? CircleCheck : CircleDashed
  return (
    <li className="flex break-inside-avoid items-start gap-3 py-2 text-sm">
      <Icon className={isDone ? 'mt-0.5 size-4.5 shrink-0 text-accent' : 'mt-0.5 size-4.5 shrink-0 text-muted'} />
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-52">
          <p className="font-medium">
            {line.href ? (
              <Link href={line.href} className="underline underline-offset-2">
                {line.title}
              </Link>
            ) : (
              line.title
            )}
            <span className="sr-only">{isDone ? ': done' : ': to do'}</span>
          </p>
          {!isDone && <p className="break-words text-muted">{renderCommands(line.todo)}</p>}
        </div>
        {!isDone && 'confirms' in line && (
          <CallButton
            call={checklist.adminConfirm}
            input={{ key: name }}
            options={{ refreshes: [checklist.adminShow], failed: 'Failed to confirm' }}
            variant="secondary"
            size="sm"
          >
            {line.confirms}
          </CallButton>
        )}
      </div>
    </li>
  )
}
