import { useState } from 'react'
import { type TradingViewPerson, tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { type GrantState, grantStates } from '#contract/statuses.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { Cell } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { Filter, RecordList } from '../lists/record-list.tsx'
import { action } from '../lists/record-table.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { usePages } from '../lists/use-pages.ts'
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

/** Everyone on every script, with what was done about them. */
export function PeopleTable() {
  const [chosen, choose] = useFilters(choices)
  const [shown, setShown] = useState<TradingViewPerson | null>(null)
  const query = usePages(tradingViewAdmin.people, chosen)
  return (
    <section aria-labelledby="tradingview-people" className="flex flex-col gap-4">
      <h2 id="tradingview-people" className="text-xl">
        People
      </h2>
      <RecordList
        label="People on TradingView"
        noun={['entry', 'entries']}
        columns={['Username', 'Customer', 'Script', 'State', 'Until', action]}
        query={query}
        chosen={chosen}
        search="Search by username, email or name..."
        controls={
          <Filter
            label="State"
            all="All states"
            options={grantStates.map((each) => [each, stateTexts[each]])}
            value={chosen.state}
            onChange={(state) => choose({ state })}
          />
        }
        none={{ title: 'No one yet', description: 'People on your scripts appear here.' }}
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
