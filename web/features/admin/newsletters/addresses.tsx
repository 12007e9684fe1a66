import { newsletterAddresses } from '#contract/site/newsletters.ts'
import { newsletterStates, newsletterStateTexts } from '#contract/statuses.ts'
import { Badge } from '#web/ui/notice.tsx'
import { Cell } from '#web/ui/table.tsx'
import { ExportButton, useExport } from '../exports/exports.tsx'
import { RecordList } from '../lists/record-list.tsx'
import { DayCell } from '../lists/record-table.tsx'
import { useFilters } from '../lists/use-filters.ts'

const tones = { asked: 'warning', subscribed: 'good', left: 'neutral' } as const

export default function Addresses() {
  const [{ state }] = useFilters({ state: newsletterStates })
  const { running, run } = useExport()
  return (
    <RecordList
      label="Newsletter addresses"
      noun={['address', 'addresses']}
      columns={['Email', 'State', 'Signed up', 'Confirmed', 'Unsubscribed']}
      list={newsletterAddresses.adminList}
      search="Search by email..."
      filters={{ state: { label: 'State', all: 'All states', options: Object.entries(newsletterStateTexts) } }}
      controls={
        <ExportButton
          kind="newsletter"
          running={running}
          run={() => run('newsletter', { state })}
          className="max-sm:w-full sm:ml-auto"
          text={state ? `Export ${newsletterStateTexts[state]}` : 'Export all'}
        />
      }
      none={{
        title: 'No addresses yet',
        description: 'New sign-ups appear here. They count once they have confirmed by email.',
      }}
      renderRow={(address) => (
        <>
          <Cell className="max-w-72 truncate font-medium" title={address.email}>
            {address.email}
          </Cell>
          <Cell label="State">
            <Badge tone={tones[address.state]}>{newsletterStateTexts[address.state]}</Badge>
          </Cell>
          <DayCell label="Signed up" value={address.createdAt} />
          <DayCell label="Confirmed" value={address.confirmedAt} />
          <DayCell label="Unsubscribed" value={address.unsubscribedAt} />
        </>
      )}
    />
  )
}
