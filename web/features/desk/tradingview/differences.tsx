import { tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { useCall } from '#web/api/use-call.ts'
import { useData } from '#web/api/use-data.ts'
import { Button } from '#web/ui/button.tsx'
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
