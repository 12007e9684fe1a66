import { LogOut, type LucideIcon, MessageSquare, Receipt, Star, Undo2 } from 'lucide-react'
import { overview, type PulseEntry } from '#contract/admin/overview.ts'
import { exactDollars } from '#contract/money.ts'
import { useData } from '#web/api/client.ts'
import { Pending } from '#web/ui/card.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { EmptyNote } from './figure.tsx'

const kindLooks: Record<PulseEntry['kind'], { icon: LucideIcon; verb: string }> = {
  sale: { icon: Receipt, verb: 'bought' },
  cancelled: { icon: Undo2, verb: 'cancelled' },
  left: { icon: LogOut, verb: 'left' },
  review: { icon: Star, verb: 'wrote a review' },
  message: { icon: MessageSquare, verb: 'wrote' },
}
const clockFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })

export function Today() {
  const query = useData(overview.adminToday, {})
  const { data } = query
  if (!data) return <Pending query={query} what="what happened today" className="h-28 rounded-lg" />
  return (
    <section aria-labelledby="today" className="flex flex-col gap-3">
      <header className="flex items-baseline gap-x-3">
        <h2 id="today" className="text-lg">
          Today
        </h2>
        <p className="text-xs text-muted">the last 24 hours</p>
      </header>
      {data.length === 0 ? (
        <EmptyNote>Nothing yet. That’s normal.</EmptyNote>
      ) : (
        <ol className="max-h-96 overflow-y-auto rounded-lg border border-line bg-surface shadow-card">
          {data.map((entry) => (
            <PulseLine key={entry.id} entry={entry} />
          ))}
        </ol>
      )}
    </section>
  )
}

function PulseLine({ entry: { at, kind, who, customerId, amount, detail } }: { entry: PulseEntry }) {
  const { icon: Icon, verb } = kindLooks[kind]
  return (
    <li className="flex min-h-11 items-center gap-3 border-b border-line px-4 py-2 text-sm last:border-b-0">
      <Icon className="size-4 shrink-0 text-muted" />
      <p className="min-w-0 flex-1 truncate">
        {customerId ? (
          <Link
            href={`/admin/customers/${customerId}`}
            className="font-medium underline decoration-line underline-offset-4 hover:decoration-accent"
          >
            {who}
          </Link>
        ) : (
          <span className="font-medium">{who}</span>
        )}{' '}
        {verb}
        {detail && <span className="text-muted">{kind === 'sale' ? ` ${detail}` : `: ${detail}`}</span>}
      </p>
      {amount !== null && <span className="font-medium tabular-nums">{exactDollars(amount)}</span>}
      <time dateTime={at} className="w-16 shrink-0 text-right text-xs whitespace-nowrap text-muted tabular-nums">
        {clockFormat.format(new Date(at))}
      </time>
    </li>
  )
}
