import { Download } from 'lucide-react'
import { newsletterAddresses } from '#contract/desk/newsletter-addresses.ts'
import { newsletterStates, newsletterStateTexts } from '#contract/statuses.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/card.tsx'
import { Cell } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { EndlessTable } from '../lists/endless-table.tsx'
import { NoMatch } from '../lists/no-match.tsx'
import { Filter, SearchBox } from '../lists/search-box.tsx'
import { usePages } from '../lists/use-pages.ts'
import { useExport } from '../parts/use-export.ts'
import { useAddress } from '../shell/use-address.ts'

const choices = { q: 'text', state: newsletterStates } as const
const columns = ['Email', 'State', 'Signed up', 'Confirmed', 'Unsubscribed']
const tones = { asked: 'warning', subscribed: 'good', left: 'neutral' } as const

export default function Newsletter() {
  const [chosen, choose] = useAddress(choices)
  const query = usePages(newsletterAddresses.adminList, chosen)
  const { progress, run } = useExport()
  const { q, state } = chosen
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-center gap-3">
        <SearchBox placeholder="Search by email..." q={q} onSearch={(typed) => choose({ q: typed })} />
        <Filter
          aria-label="State"
          value={state ?? ''}
          onChange={({ target }) => choose({ state: newsletterStates.find((each) => each === target.value) })}
        >
          <option value="">All states</option>
          {newsletterStates.map((each) => (
            <option key={each} value={each}>
              {newsletterStateTexts[each]}
            </option>
          ))}
        </Filter>
        <Button
          variant="secondary"
          className="max-sm:w-full sm:ml-auto"
          pending={progress !== null}
          onClick={() => void run('newsletter', state)}
        >
          <Download className="size-4" aria-hidden="true" />
          {state ? `Export ${newsletterStateTexts[state]}` : 'Export all'}
        </Button>
      </div>
      <EndlessTable
        label="Newsletter addresses"
        noun={['address', 'addresses']}
        columns={columns}
        query={query}
        empty={
          q || state ? (
            <NoMatch title="No addresses found" />
          ) : (
            <EmptyState
              title="No addresses yet"
              description="Whoever signs up for the newsletter stands here, and counts once they have confirmed by email."
            />
          )
        }
        renderRow={(row) => (
          <>
            <Cell className="max-w-72 truncate font-medium" title={row.email}>
              {row.email}
            </Cell>
            <Cell label="State">
              <Badge tone={tones[row.state]}>{newsletterStateTexts[row.state]}</Badge>
            </Cell>
            <Cell label="Signed up" className="whitespace-nowrap">
              <Time value={row.createdAt} />
            </Cell>
            <Cell label="Confirmed" className="whitespace-nowrap">
              {row.confirmedAt ? <Time value={row.confirmedAt} /> : '–'}
            </Cell>
            <Cell label="Unsubscribed" className="whitespace-nowrap">
              {row.unsubscribedAt ? <Time value={row.unsubscribedAt} /> : '–'}
            </Cell>
          </>
        )}
      />
    </div>
  )
}
