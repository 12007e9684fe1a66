import { useState } from 'react'
import { type GrantState, grantStates } from '#contract/statuses.ts'
import { type TradingViewPerson, tradingViewAdmin } from '#contract/tradingview-admin.ts'
import * as z from '#contract/zod.ts'
import { useCall } from '#web/api/use-call.ts'
import { useData } from '#web/api/use-data.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { EmptyState, Skeleton } from '#web/ui/card.tsx'
import { confirm } from '#web/ui/confirm.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Cell } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { EndlessTable } from '../endless-table.tsx'
import { Filter, SearchBox } from '../search-box.tsx'
import { useAddress } from '../shell/use-address.ts'
import { usePages, useRowCall } from '../use-pages.ts'
import { refreshes } from './refreshes.ts'

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

const renameForm = z.object({
  username: z.string().check(z.trim(), z.minLength(1, 'TradingView username is required')),
})

function PersonDialog({ person, onClose }: { person: TradingViewPerson; onClose: () => void }) {
  const { id, username, user, error, isWanted, isPresent } = person
  const { data } = useData(tradingViewAdmin.history, { id })
  const row = { list: tradingViewAdmin.people, refreshes, failed: 'That didn’t work', onSuccess: onClose }
  const retry = useRowCall(tradingViewAdmin.retry, row)
  const remove = useRowCall(tradingViewAdmin.remove, { ...row, succeeded: 'Removed on TradingView' })
  const rename = useCall(tradingViewAdmin.rename, { refreshes, failed: 'Failed to change the username' })

  async function askAndRemove() {
    const yes = await confirm({
      title: 'Remove on TradingView',
      description: `Take access from ${username} on TradingView? Nobody in this shop pays for it.`,
      action: 'Remove',
      destructive: true,
    })
    if (yes) remove.mutate({ id })
  }

  return (
    <Dialog
      title={username}
      description={user?.email ?? 'Not from this shop'}
      onClose={onClose}
      className="max-w-xl"
    >
      <div className="flex flex-col gap-5">
        {error && <p className="text-sm text-warning">{error}</p>}
        <div className="flex flex-wrap gap-2">
          {user && (
            <Button
              size="sm"
              variant="secondary"
              pending={retry.isPending}
              onClick={() => retry.mutate({ id })}
            >
              Try again
            </Button>
          )}
          {!isWanted && isPresent && (
            <Button
              size="sm"
              variant="secondary"
              pending={remove.isPending}
              onClick={() => void askAndRemove()}
            >
              Remove on TradingView
            </Button>
          )}
        </div>
        {user && isWanted && (
          <Form
            schema={renameForm}
            aria-label="Change username"
            className="flex flex-wrap items-end gap-3"
            onSubmit={async (typed) => {
              await rename.mutateAsync({ id, ...typed })
              onClose()
            }}
          >
            <Field name="username" label="Another TradingView username">
              <Input autoComplete="off" spellCheck={false} />
            </Field>
            <SubmitButton size="sm" variant="secondary" pendingText="Saving...">
              Change
            </SubmitButton>
          </Form>
        )}
        {data ? (
          <ol aria-label="History" className="flex max-h-72 flex-col gap-1.5 overflow-y-auto text-sm">
            {data.map((event) => (
              <li key={`${event.at} ${event.what} ${event.outcome}`}>
                <Time value={event.at} withClock /> · {event.what} · {event.outcome}
              </li>
            ))}
          </ol>
        ) : (
          <Skeleton className="h-24" />
        )}
      </div>
    </Dialog>
  )
}
