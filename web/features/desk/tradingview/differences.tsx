import { type Attention, tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { useCall } from '#web/api/use-call.ts'
import { useData } from '#web/api/use-data.ts'
import { Button } from '#web/ui/button.tsx'
import { EmptyState, Skeleton } from '#web/ui/card.tsx'
import { Time } from '#web/ui/time.tsx'
import { refreshes } from './refreshes.ts'

/** What the latest comparisons found. */
export function Differences() {
  const { data } = useData(tradingViewAdmin.runs, {})
  const reconcile = useCall(tradingViewAdmin.reconcile, {
    refreshes,
    failed: 'Failed to start the check',
    succeeded: { title: 'Checking', description: 'Every list is compared now. Look again in a moment.' },
  })
  return (
    <section aria-labelledby="tradingview-differences" className="flex flex-col gap-4">
      <header className="flex flex-wrap items-center gap-3">
        <h2 id="tradingview-differences" className="mr-auto text-xl">
          Differences
        </h2>
        <Button
          size="sm"
          variant="secondary"
          pending={reconcile.isPending}
          onClick={() => reconcile.mutate({})}
        >
          Check now
        </Button>
      </header>
      {data && data.length > 0 ? (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface shadow-card text-sm">
          {data.map((run) => (
            <li key={run.id} className="flex flex-wrap gap-x-6 gap-y-1 p-4">
              <span className="font-medium">
                <Time value={run.startedAt} withClock />
              </span>
              <span>{run.script}</span>
              <span className="text-muted">
                {run.isComplete
                  ? `${run.people} people · ${run.missing} missing · ${run.wrong} with a wrong date · ${run.ended} ended but present · ${run.foreign} not from this shop`
                  : `The list couldn’t be read to the end, so nothing was changed. ${run.error ?? ''}`}
                {run.heldBack > 0 && ` · ${run.heldBack} held back`}
              </span>
            </li>
          ))}
        </ul>
      ) : (
        <p className="text-sm text-muted">Compared every night at 03:20 UTC.</p>
      )}
    </section>
  )
}

/** What the connector can't do without a person. */
export function AttentionList() {
  const { data } = useData(tradingViewAdmin.attention, {})
  if (!data) return <Skeleton className="h-24 rounded-lg" />
  return (
    <section aria-labelledby="tradingview-attention" className="flex flex-col gap-4">
      <h2 id="tradingview-attention" className="text-xl">
        Needs attention
      </h2>
      {data.length === 0 ? (
        <EmptyState title="Nothing needs your attention" />
      ) : (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface shadow-card">
          {data.map((matter) => (
            <Matter key={`${matter.kind} ${matter.username} ${matter.email}`} matter={matter} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Matter({ matter: { kind, grantId, username, email, text } }: { matter: Attention }) {
  const failed = 'That didn’t work'
  const retry = useCall(tradingViewAdmin.retry, { refreshes, failed })
  const adopt = useCall(tradingViewAdmin.adopt, { refreshes, failed })
  const rename = useCall(tradingViewAdmin.rename, { refreshes, failed })
  const reconcile = useCall(tradingViewAdmin.reconcile, {
    refreshes,
    failed,
    succeeded: 'They’ll lose access now',
  })
  const isPending = [retry, adopt, rename, reconcile].some((call) => call.isPending)
  const act = (label: string, onClick: () => void) => (
    <Button size="sm" variant="secondary" pending={isPending} onClick={onClick}>
      {label}
      <span className="sr-only"> {username}</span>
    </Button>
  )
  return (
    <li className="flex flex-wrap items-center gap-x-6 gap-y-2 p-4">
      <div className="min-w-0 flex-[1_1_16rem]">
        {email && <p className="font-medium break-words">{[username, email].filter(Boolean).join(' · ')}</p>}
        <p className={email ? 'text-sm text-muted' : 'font-medium'}>{text}</p>
      </div>
      {kind === 'stuck' && grantId && act('Try again', () => retry.mutate({ id: grantId }))}
      {kind === 'had_access' && grantId && act('Take over', () => adopt.mutate({ id: grantId }))}
      {kind === 'renamed' &&
        grantId &&
        username &&
        act('Use the new name', () => rename.mutate({ id: grantId, username }))}
      {kind === 'held_back' && act('Lock them', () => reconcile.mutate({ mayRemove: true }))}
    </li>
  )
}
