import { Download } from 'lucide-react'
import { newsletterAddresses } from '#contract/desk/newsletter-addresses.ts'
import { newsletterStates, newsletterStateTexts } from '#contract/statuses.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { Cell } from '#web/ui/table.tsx'
import { Filter, RecordList } from '../lists/record-list.tsx'
import { DayCell } from '../lists/record-table.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { usePages } from '../lists/use-pages.ts'
import { useExport } from '../parts/use-export.ts'

const choices = { q: 'text', state: newsletterStates } as const
const columns = ['Email', 'State', 'Signed up', 'Confirmed', 'Unsubscribed']
const tones = { asked: 'warning', subscribed: 'good', left: 'neutral' } as const

export default function Newsletter() {
  const [chosen, choose] = useFilters(choices)
  const query = usePages(newsletterAddresses.adminList, chosen)
  const { progress, run } = useExport()
  const { state } = chosen
  return (
    <RecordList
      label="Newsletter addresses"
      noun={['address', 'addresses']}
      columns={columns}
      query={query}
      chosen={chosen}
      search="Search by email..."
      controls={
        <>
          <Filter
            label="State"
            all="All states"
            options={newsletterStates.map((each) => [each, newsletterStateTexts[each]])}
            value={state}
            onChange={(chosenState) => choose({ state: chosenState })}
          />
          <Button
            variant="secondary"
            className="max-sm:w-full sm:ml-auto"
            pending={progress !== null}
            onClick={() => void run('newsletter', { state })}
          >
            <Download className="size-4" aria-hidden="true" />
            {state ? `Export ${newsletterStateTexts[state]}` : 'Export all'}
          </Button>
        </>
      }
      none={{
        title: 'No addresses yet',
        description: 'New sign-ups appear here. They count once they have confirmed by email.',
      }}
      renderRow={(row) => (
        <>
          <Cell className="max-w-72 truncate font-medium" title={row.email}>
            {row.email}
          </Cell>
          <Cell label="State">
            <Badge tone={tones[row.state]}>{newsletterStateTexts[row.state]}</Badge>
          </Cell>
          <DayCell label="Signed up" value={row.createdAt} />
          <DayCell label="Confirmed" value={row.confirmedAt} />
          <DayCell label="Unsubscribed" value={row.unsubscribedAt} />
        </>
      )}
    />
  )
}
