import { Plus } from 'lucide-react'
import { type AdminNewsletter, newsletters } from '#contract/site/newsletters.ts'
import { ButtonLink } from '#web/ui/button.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { Badge } from '#web/ui/notice.tsx'
import { Cell } from '#web/ui/table.tsx'
import { RecordList } from '../lists/record-list.tsx'
import { DayCell, moneyCell } from '../lists/record-table.tsx'
import { formatNumber } from '../parts/count.ts'

export default function Newsletters() {
  return (
    <RecordList
      label="Newsletters"
      noun={['newsletter', 'newsletters']}
      list={newsletters.adminList}
      controls={
        <ButtonLink href="/admin/messages/newsletters/new" className="max-sm:w-full sm:ml-auto">
          <Plus className="size-4" />
          Write a newsletter
        </ButtonLink>
      }
      none={{ title: 'No newsletters yet', description: 'Drafts and what you sent appear here.' }}
      columns={['Subject', 'State', 'Date', ...countColumns]}
      renderRow={({ id, subject, state, counts, finishedAt, startedAt, scheduledFor, updatedAt }) => (
        <>
          <Cell className="max-w-96">
            <Link
              href={`/admin/messages/newsletters/${id}`}
              className="block font-medium wrap-anywhere underline-offset-4 hover:text-accent-strong hover:underline"
            >
              {subject}
            </Link>
          </Cell>
          <Cell label="State">
            <StateBadge state={state} counts={counts} />
          </Cell>
          <DayCell label="Date" value={finishedAt ?? startedAt ?? scheduledFor ?? updatedAt} />
          {countColumns.map(({ title, name }) => (
            <Cell key={name} label={title} className={moneyCell}>
              {formatNumber(counts[name])}
            </Cell>
          ))}
        </>
      )}
    />
  )
}

const countColumns = [
  { title: 'Sent', name: 'sent' },
  { title: 'Bounced', name: 'refused' },
  { title: 'Unsubscribed', name: 'unsubscribed' },
] as const

const tones = {
  draft: 'neutral',
  scheduled: 'warning',
  sending: 'warning',
  paused: 'bad',
  stopped: 'neutral',
  sent: 'good',
} as const

export function StateBadge({ state, counts }: Pick<AdminNewsletter, 'state' | 'counts'>) {
  const uncertainty = state !== 'draft' && counts.uncertain > 0 && `, ${counts.uncertain} not confirmed`
  return (
    <Badge tone={tones[state]}>
      {state}
      {uncertainty}
    </Badge>
  )
}
