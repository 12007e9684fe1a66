import { useState } from 'react'
import { type TradingViewPerson, tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { type GrantState, grantStates } from '#contract/statuses.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/card.tsx'
import { Cell } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { EndlessTable } from '../lists/endless-table.tsx'
import { Filter, SearchBox } from '../lists/search-box.tsx'
import { usePages } from '../lists/use-pages.ts'
import { useAddress } from '../shell/use-address.ts'
import { PersonDialog } from './person-dialog.tsx'

const tones = {
  unlocking: 'warning',
  unlocked: 'good',
  locking: 'warning',
  locked: 'neutral',
  name_not_found: 'bad',
  waiting: 'warning',
  stuck: 'bad',
  foreign: 'neutral',
} as const

const stateTexts: Record<GrantState, string> = {
  unlocking: 'unlocking',
  unlocked: 'unlocked',
  locking: 'locking',
  locked: 'locked',
  name_not_found: 'name not found',
  waiting: 'waiting for connection',
  stuck: 'stuck',
  foreign: 'not from this shop',
}

const choices = { q: 'text', state: grantStates } as const

/** Everybody on every script, with what was done about them. */
export function PeopleTable() {
  const [chosen, choose] = useAddress(choices)
  const [shown, setShown] = useState<TradingViewPerson | null>(null)
  const query = usePages(tradingViewAdmin.people, chosen)
  return (
    <section aria-labelledby="tradingview-people" className="flex flex-col gap-4">
      <h2 id="tradingview-people" className="text-xl">
        People
      </h2>
      <div className="flex flex-wrap items-center gap-3">
        <SearchBox
          placeholder="Search by username, email or name..."
          q={chosen.q}
          onSearch={(q) => choose({ q })}
        />
        <Filter
          aria-label="State"
          value={chosen.state ?? ''}
          onChange={({ target }) => choose({ state: target.value as GrantState })}
        >
          <option value="">All states</option>
          {grantStates.map((each) => (
            <option key={each} value={each}>
              {stateTexts[each]}
            </option>
          ))}
        </Filter>
      </div>
      <EndlessTable
        label="People on TradingView"
        noun={['entry', 'entries']}
        columns={['Username', 'Customer', 'Script', 'State', 'Until', 'Action']}
        query={query}
        empty={<EmptyState title="Nobody found" />}
        renderRow={(person) => (
          <>
            <Cell className="font-mono text-sm font-medium">{person.username}</Cell>
            <Cell label="Customer">{person.user?.email ?? '–'}</Cell>
            <Cell label="Script">{person.script}</Cell>
            <Cell label="State">
              <Badge tone={tones[person.state]}>{stateTexts[person.state]}</Badge>
            </Cell>
            <Cell label="Until" className="whitespace-nowrap">
              {person.presentUntil ? <Time value={person.presentUntil} /> : person.isPresent ? 'no end' : '–'}
            </Cell>
            <Cell className="py-1.5 text-right">
              <Button size="sm" variant="ghost" onClick={() => setShown(person)}>
                History<span className="sr-only"> of {person.username}</span>
              </Button>
            </Cell>
          </>
        )}
      />
      {shown && <PersonDialog person={shown} onClose={() => setShown(null)} />}
    </section>
  )
}
