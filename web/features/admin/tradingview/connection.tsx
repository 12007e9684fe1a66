import { useState } from 'react'
import { type TradingViewConnection, tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { useData } from '#web/api/client.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, Pending } from '#web/ui/card.tsx'
import { Badge } from '#web/ui/notice.tsx'
import { Time } from '#web/ui/time.tsx'
import { ConnectDialog } from './connect-dialog.tsx'
import { Comparisons, Strangers } from './lists.tsx'
import { confirmSwitch, MeterCard, Modes } from './modes.tsx'
import { ScriptsList } from './scripts-list.tsx'
import { troubleOf } from './trouble.tsx'

export default function Connection() {
  const query = useData(tradingViewAdmin.show, {})
  const { data } = query
  if (!data) return <Pending query={query} className="h-32 rounded-lg" />
  return (
    <div className="flex flex-col gap-10">
      <Status connection={data} />
      {data.state !== 'off' && (
        <>
          <Modes connection={data} />
          <ScriptsList />
          <MeterCard />
          <Comparisons />
          <Strangers />
          <Disconnect />
        </>
      )}
    </div>
  )
}

const states = {
  off: { tone: 'neutral', text: 'off' },
  on: { tone: 'good', text: 'connected' },
  paused: { tone: 'warning', text: 'paused' },
  expired: { tone: 'bad', text: 'session ended' },
  blocked: { tone: 'bad', text: 'blocked' },
} as const

function Status({ connection }: { connection: TradingViewConnection }) {
  const { state, mode, isAllowed, lastError, blockedRemovals } = connection
  const [connecting, setConnecting] = useState(false)
  const failed = 'Failed to change the connection'
  const test = useCall(tradingViewAdmin.test, { failed: 'The check failed', succeeded: 'Connection OK' })
  const pause = useCall(tradingViewAdmin.pause, { failed })
  const resume = useCall(tradingViewAdmin.resume, { failed })
  const reconcile = useCall(tradingViewAdmin.reconcile, { failed, succeeded: 'Removing access' })
  const trouble = troubleOf(connection)

  async function ask(action: 'Pause' | 'Resume' | 'Remove') {
    const question = { title: `${action} ${action === 'Remove' ? `${blockedRemovals} people` : 'connection'}`, action }
    if (!(await confirmSwitch(action === 'Pause' ? 'off' : mode, question))) return
    if (action === 'Pause') pause.mutate({})
    else if (action === 'Resume') resume.mutate({})
    else reconcile.mutate({ mayRemove: true })
  }

  return (
    <section aria-label="Status">
      <Card className="flex flex-col gap-4">
        <div className="flex flex-wrap items-center gap-3">
          <Badge tone={states[state].tone}>{states[state].text}</Badge>
          <Summary connection={connection} />
        </div>
        {!isAllowed && (
          <p className="text-sm text-muted">
            <code>TRADINGVIEW=off</code> is set on this server, so TradingView is never called, whatever you choose
            here.
          </p>
        )}
        {trouble && (
          <p role="alert" className="font-medium text-danger">
            {trouble} {lastError && <span className="font-normal text-muted">({lastError})</span>}
          </p>
        )}
        <div className="flex flex-wrap gap-2">
          {blockedRemovals !== null && state === 'on' && (
            <Button size="sm" pending={reconcile.isPending} onClick={() => void ask('Remove')}>
              Review
            </Button>
          )}
          {isAllowed && (
            <Button
              size="sm"
              variant={state === 'off' || state === 'expired' ? 'primary' : 'secondary'}
              onClick={() => setConnecting(true)}
            >
              {state === 'off' ? 'Connect' : 'Reconnect'}
            </Button>
          )}
          {state === 'paused' && (
            <Button size="sm" variant="secondary" pending={resume.isPending} onClick={() => void ask('Resume')}>
              Resume
            </Button>
          )}
          {state !== 'off' && state !== 'paused' && (
            <>
              <Button size="sm" variant="secondary" pending={test.isPending} onClick={() => test.mutate({})}>
                Check connection
              </Button>
              <Button size="sm" variant="secondary" pending={pause.isPending} onClick={() => void ask('Pause')}>
                Pause
              </Button>
            </>
          )}
        </div>
      </Card>
      {connecting && <ConnectDialog connection={connection} onClose={() => setConnecting(false)} />}
    </section>
  )
}

function Summary({ connection }: { connection: TradingViewConnection }) {
  const { state, accountName, checkedAt, okAt, host } = connection
  if (state === 'off') return <p>You unlock buyers by hand, under “To do”.</p>
  return (
    <p>
      {state === 'expired' || state === 'blocked' ? 'Account' : 'Connected as'}{' '}
      <strong>{accountName ?? 'your account'}</strong>
      {host === 'sandbox' && ' (sandbox)'}
      <Time before=" · checked" value={checkedAt ?? okAt} withClock />
    </p>
  )
}

function Disconnect() {
  const forget = useCall(tradingViewAdmin.forget, { failed: 'Failed to disconnect', succeeded: 'Disconnected' })
  async function ask() {
    const yes = await confirmSwitch('off', {
      title: 'Disconnect TradingView',
      action: 'Disconnect',
      destructive: true,
      also: 'The cookies are deleted, and you unlock and remove people by hand.',
    })
    if (yes) forget.mutate({})
  }
  return (
    <Button variant="danger" className="self-start" pending={forget.isPending} onClick={() => void ask()}>
      Disconnect
    </Button>
  )
}
