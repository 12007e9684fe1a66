import { useState } from 'react'
import { type TradingViewConnection, tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import type { ConnectionMode } from '#contract/statuses.ts'
import { useCall } from '#web/api/use-call.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { confirm } from '#web/ui/confirm.tsx'
import { Select } from '#web/ui/input.tsx'
import { Time } from '#web/ui/time.tsx'
import { ConnectDialog } from './connect-dialog.tsx'
import { refreshes } from './refreshes.ts'

const modes: Record<ConnectionMode, string> = {
  dry: 'Only show what it would do',
  grant: 'Unlock, but never lock',
  full: 'Unlock and lock',
}

const states = {
  off: { tone: 'neutral', text: 'off' },
  on: { tone: 'good', text: 'connected' },
  paused: { tone: 'warning', text: 'paused' },
  expired: { tone: 'bad', text: 'session ended' },
  blocked: { tone: 'bad', text: 'blocked' },
} as const

/** How the connection to TradingView stands, and everything that switches it. */
export function ConnectionCard({ connection }: { connection: TradingViewConnection }) {
  const { state, mode, isAllowed } = connection
  const [connecting, setConnecting] = useState(false)
  const failed = 'Failed to change the connection'
  const test = useCall(tradingViewAdmin.test, {
    refreshes,
    failed: 'The check failed',
    succeeded: 'TradingView answers',
  })
  const pause = useCall(tradingViewAdmin.pause, { refreshes, failed })
  const resume = useCall(tradingViewAdmin.resume, { refreshes, failed })
  const forget = useCall(tradingViewAdmin.forget, {
    refreshes,
    failed,
    succeeded: 'The session was forgotten',
  })
  const settings = useCall(tradingViewAdmin.settings, { refreshes, failed })
  const isOff = state === 'off'

  async function askAndForget() {
    const yes = await confirm({
      title: 'Forget the session',
      description:
        'The cookies are deleted, and the shop stops calling TradingView. Requests go to the manual queue.',
      action: 'Forget the session',
      destructive: true,
    })
    if (yes) forget.mutate({})
  }

  return (
    <section aria-labelledby="tradingview-connection" className="flex flex-col gap-4">
      <h2 id="tradingview-connection" className="text-xl">
        TradingView
      </h2>
      <Card className="flex flex-col gap-4">
        <div className="flex flex-wrap items-center gap-3">
          <Badge tone={states[state].tone}>{states[state].text}</Badge>
          <Summary connection={connection} />
        </div>
        {!isAllowed && (
          <p className="text-sm text-muted">
            <code>TRADINGVIEW=off</code> is set on this server, so TradingView is never called, whatever you
            choose here.
          </p>
        )}
        <Trouble connection={connection} />
        <div className="flex flex-wrap items-center gap-2">
          {isAllowed && (
            <Button
              size="sm"
              variant={isOff || state === 'expired' ? 'primary' : 'secondary'}
              onClick={() => setConnecting(true)}
            >
              {isOff ? 'Connect' : 'Renew session'}
            </Button>
          )}
          {!isOff && (
            <>
              {state === 'paused' ? (
                <Act label="Resume" call={resume} />
              ) : (
                <>
                  <Act label="Check session" call={test} />
                  <Act label="Pause" call={pause} />
                </>
              )}
              <Button size="sm" variant="ghost" onClick={() => void askAndForget()}>
                Forget session
              </Button>
              <div className="w-full sm:ml-auto sm:w-72">
                <Select
                  aria-label="What the connection may do"
                  value={mode}
                  onChange={(event) => settings.mutate({ mode: event.target.value as ConnectionMode })}
                >
                  {Object.entries(modes).map(([value, text]) => (
                    <option key={value} value={value}>
                      {text}
                    </option>
                  ))}
                </Select>
              </div>
            </>
          )}
        </div>
        {!isOff && (
          <label className="flex items-center gap-3 text-sm">
            <input
              type="checkbox"
              className="size-4.5 accent-accent"
              checked={connection.freezesDisputes}
              onChange={(event) => settings.mutate({ freezesDisputes: event.target.checked })}
            />
            While a payment is disputed, access is kept but not extended
          </label>
        )}
      </Card>
      {connecting && <ConnectDialog connection={connection} onClose={() => setConnecting(false)} />}
    </section>
  )
}

function Act({
  label,
  call,
}: {
  label: string
  call: { isPending: boolean; mutate: (input: Record<string, never>) => void }
}) {
  return (
    <Button size="sm" variant="secondary" pending={call.isPending} onClick={() => call.mutate({})}>
      {label}
    </Button>
  )
}

function Summary({ connection }: { connection: TradingViewConnection }) {
  const { state, accountName, checkedAt, okAt, scripts, people, host } = connection
  if (state === 'off') return <p>Buyers are unlocked by hand, from the queue below.</p>
  const checked = checkedAt ?? okAt
  return (
    <p>
      {state === 'expired' || state === 'blocked' ? 'Account' : 'Connected as'}{' '}
      <strong>{accountName ?? 'your account'}</strong>
      {host === 'sandbox' && ' at the look-alike'}
      {checked && (
        <>
          {' '}
          · checked <Time value={checked} withClock />
        </>
      )}{' '}
      · {scripts} {scripts === 1 ? 'script' : 'scripts'} · {people} {people === 1 ? 'person' : 'people'}
    </p>
  )
}

function Trouble({ connection: { state, lastError, downSince } }: { connection: TradingViewConnection }) {
  const text =
    state === 'expired'
      ? 'Your TradingView session has ended. Buyers have to wait until you renew it.'
      : state === 'blocked'
        ? 'TradingView is blocking this server’s address. Run the shop from another address.'
        : state === 'paused'
          ? 'The shop isn’t calling TradingView. New requests go to the manual queue.'
          : downSince
            ? 'TradingView isn’t answering properly; the shop keeps trying.'
            : null
  if (!text) return null
  return (
    <p role="alert" className="font-medium text-danger">
      {text} {lastError && <span className="font-normal text-muted">({lastError})</span>}
    </p>
  )
}
