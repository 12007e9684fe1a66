import { audit, auditSentence, jobs } from '#contract/admin/activity.ts'
import { exactDollars } from '#contract/money.ts'
import { useCall } from '#web/api/use-call.ts'
import { Cell } from '#web/ui/table.tsx'
import { useNeeds } from '../inbox/use-needs.ts'
import { RecordList } from '../lists/record-list.tsx'
import { actionColumn } from '../lists/record-table.tsx'
import { RowMenu } from '../parts/row-menu.tsx'
import { Section } from '../parts/section.tsx'

const momentFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

const TimeCell = ({ value }: { value: string }) => (
  <Cell className="whitespace-nowrap tabular-nums">
    <time dateTime={value}>{momentFormat.format(new Date(value))}</time>
  </Cell>
)

export default function Activity() {
  const { countAt } = useNeeds()
  return (
    <div className="flex flex-col gap-10">
      {countAt(['/admin/activity']) > 0 && <FailedJobs />}
      <AuditLog />
    </div>
  )
}

function FailedJobs() {
  const retry = useCall(jobs.adminRetry, { succeeded: 'Job restarted', failed: 'Failed to restart the job' })
  const discard = useCall(jobs.adminDiscard, { succeeded: 'Job discarded', failed: 'Failed to discard the job' })
  return (
    <Section title="Failed jobs" hint="Background jobs that failed after every retry.">
      <RecordList
        label="List of failed jobs"
        noun={['failed job', 'failed jobs']}
        list={jobs.adminList}
        none={{ title: 'No failed jobs', description: 'Jobs that failed after every retry appear here.' }}
        columns={['Failed', 'Job', 'Error', actionColumn]}
        renderRow={(job) => (
          <>
            <TimeCell value={job.failedAt} />
            <Cell>
              <span className="block font-medium">{job.name}</span>
              <span className="block text-muted">{job.about}</span>
            </Cell>
            <Cell className="max-w-96 text-xs break-words text-muted">{job.error}</Cell>
            <Cell className="py-1.5">
              <RowMenu
                label={job.about}
                actions={[
                  { text: 'Run again', run: () => retry.mutate({ id: job.id }) },
                  {
                    text: 'Discard',
                    question: {
                      title: 'Discard job',
                      description: `Discard “${job.about}”? It won’t be retried.`,
                      action: 'Discard job',
                    },
                    run: () => discard.mutate({ id: job.id }),
                    isDangerous: true,
                  },
                ]}
              />
            </Cell>
          </>
        )}
      />
    </Section>
  )
}

function AuditLog() {
  return (
    <Section title="Audit log" hint="Everything admins have done.">
      <RecordList
        label="Audit log entries"
        noun={['entry', 'entries']}
        list={audit.adminList}
        search="Search by admin, action, or subject..."
        none={{ title: 'No entries yet', description: 'Team activity appears here.' }}
        columns={['When', 'Who', 'What', 'To what', 'From']}
        renderRow={(entry) => (
          <>
            <TimeCell value={entry.at} />
            <Cell className="max-w-56 wrap-anywhere">{entry.actorEmail}</Cell>
            <Cell label="What" title={entry.action}>
              {auditSentence(entry.action)}
            </Cell>
            <Cell label="To what" className="max-w-96">
              {entry.subject && !isId(entry.subject) && <span className="block break-words">{entry.subject}</span>}
              {entry.detail && (
                <span className="block text-xs break-words text-muted">{describeDetail(entry.detail)}</span>
              )}
            </Cell>
            <Cell label="From" className="whitespace-nowrap text-muted tabular-nums">
              {entry.ip}
            </Cell>
          </>
        )}
      />
    </Section>
  )
}

/** Ids tell the seller nothing; a customer's page lists the actions on that customer. */
const isId = (value: unknown) =>
  typeof value === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)

function formatValue(name: string, value: unknown) {
  if (/amount$/i.test(name) && typeof value === 'number') return exactDollars(value)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Turns `regularAmount` into "regular amount". */
const spacedName = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const describeDetail = (detail: Record<string, unknown>) =>
  Object.entries(detail)
    .filter(([, value]) => !isId(value))
    .map(([name, value]) => `${spacedName(name)}: ${formatValue(name, value)}`)
    .join(', ')
