import { tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { CallButton } from '#web/api/call-button.tsx'
import { useData } from '#web/api/client.ts'
import { Card } from '#web/ui/card.tsx'
import { Cell } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { RecordList } from '../lists/record-list.tsx'
import { Section } from '../parts/section.tsx'

type Run = OutputOf<typeof tradingViewAdmin.runs>[number]

export function SyncLog() {
  const { data = [] } = useData(tradingViewAdmin.runs, {})
  // Runs are sorted from new to old, so the first run of each script is its latest.
  const latestRuns = data.filter((run) => run === data.find(({ script }) => script === run.script))
  const earlierRuns = data.filter((run) => !latestRuns.includes(run))
  return (
    <Section
      title="Sync log"
      beside={
        <CallButton
          call={tradingViewAdmin.reconcile}
          input={{}}
          options={{ failed: 'Failed to start the sync', succeeded: 'Sync started.' }}
          size="sm"
          variant="secondary"
        >
          Sync now
        </CallButton>
      }
    >
      <Card className="flex flex-col gap-3 text-sm">
        {latestRuns.length === 0 && <p className="text-muted">Runs every night at 03:20 UTC.</p>}
        <RunList runs={latestRuns} />
        {earlierRuns.length > 0 && (
          <details>
            <summary className="w-fit cursor-pointer font-medium text-accent">Show runs</summary>
            <div className="mt-3">
              <RunList runs={earlierRuns} />
            </div>
          </details>
        )}
      </Card>
    </Section>
  )
}

const RunList = ({ runs }: { runs: Run[] }) => (
  <ul className="flex flex-col gap-2">
    {runs.map((run) => (
      <li key={run.id} className="flex flex-wrap gap-x-3 gap-y-1">
        <span className="font-medium">
          <Time value={run.startedAt} withClock />
        </span>
        <span>{run.script}</span>
        <span className="text-muted">{describeRun(run)}</span>
      </li>
    ))}
  </ul>
)

function describeRun({ isComplete, error, people, missing, wrong, ended, foreign, blockedRemovals }: Run) {
  if (!isComplete) return `Incomplete list from TradingView; no changes made. ${error ?? ''}`
  const findings: string[] = []
  if (missing > 0) findings.push(`${missing} missing`)
  if (wrong > 0) findings.push(`${wrong} with a wrong date`)
  if (ended > 0) findings.push(`${ended} expired, still there`)
  if (foreign > 0) findings.push(`${foreign} added by hand`)
  if (blockedRemovals > 0) findings.push(`${blockedRemovals} not removed, waiting for your review`)
  return `${people} on the list; ${findings.length > 0 ? findings.join(', ') : 'all as it should be'}`
}

export function ForeignPeople() {
  return (
    <Section
      title="Added by hand"
      hint="People on your lists whom this shop didn’t add. It never removes them; you can, on TradingView."
    >
      <RecordList
        label="People added by hand"
        noun={['person', 'people']}
        columns={['Username', 'Script', 'Until']}
        list={tradingViewAdmin.foreignEntries}
        none={{ title: 'No one' }}
        renderRow={({ username, script, until }) => (
          <>
            <Cell className="font-mono font-medium break-all">{username}</Cell>
            <Cell label="Script">{script}</Cell>
            <Cell label="Until" className="whitespace-nowrap">
              {until ? <Time value={until} /> : 'no end'}
            </Cell>
          </>
        )}
      />
    </Section>
  )
}
