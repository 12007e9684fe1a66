import { useState } from 'react'
import { type TradingViewConnection, tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { useData } from '#web/api/client.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, Pending } from '#web/ui/card.tsx'
import { Badge } from '#web/ui/notice.tsx'
import { Time } from '#web/ui/time.tsx'
import { ConnectDialog } from './connect-dialog.tsx'
import { ForeignPeople, SyncLog } from './lists.tsx'
import { confirmSwitch, Modes, PeopleForecast } from './modes.tsx'
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
          <PeopleForecast />
          <SyncLog />
          <ForeignPeople />
          <Disconnect />
        </>
      )}
    </div>
  )
}

const stateLooks = {
  off: { tone: 'neutral', text: 'off' },
  on: { tone: 'good', text: 'connected' },
  paused: { tone: 'warning', text: 'paused' },
  expired: { tone: 'bad', text: 'session ended' },
  blocked: { tone: 'bad', text: 'blocked' },
} as const

function Status({ connection }: { connection: TradingViewConnection }) {
  const { state, mode, isAllowed, lastError, blockedRemovals } = connection
  const [isConnecting, setIsConnecting] = useState(false)
  const failed = 'Failed to change the connection'
  const checkConnection = useCall(tradingViewAdmin.test, { failed: 'The check failed', succeeded: 'Connection OK' })
  const pause = useCall(tradingViewAdmin.pause, { failed })
  const resume = useCall(tradingViewAdmin.resume, { failed })
  const reconcile = useCall(tradingViewAdmin.reconcile, { failed, succeeded: 'Removing access' })
  const trouble = troubleOf(connection)

  async function confirmAndRun(action: 'Pause' | 'Resume' | 'Remove') {
    const subject = action === 'Remove' ? `${blockedRemovals} people` : 'connection'
    const question = { title: `${action} ${subject}`, action }
    if (!(await confirmSwitch(action === 'Pause' ? 'off' : mode, question))) return
    if (action === 'Pause') pause.mutate({})
    else if (action === 'Resume') resume.mutate({})
    else reconcile.mutate({ mayRemove: true })
  }

  return (
    <section aria-label="Status">
      <Card className="flex flex-col gap-4">
        <div className="flex flex-wrap items-center gap-3">
          <Badge tone={stateLooks[state].tone}>{stateLooks[state].text}</Badge>
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
            <Button size="sm" pending={reconcile.isPending} onClick={() => void confirmAndRun('Remove')}>
              Review
            </Button>
          )}
          {isAllowed && (
            <Button
              size="sm"
              variant={state === 'off' || state === 'expired' ? 'primary' : 'secondary'}
              onClick={() => setIsConnecting(true)}
            >
              {state === 'off' ? 'Connect' : 'Reconnect'}
            </Button>
          )}
          {state === 'paused' && (
            <Button
              size="sm"
              variant="secondary"
              pending={resume.isPending}
              onClick={() => void confirmAndRun('Resume')}
            >
              Resume
            </Button>
          )}
          {state !== 'off' && state !== 'paused' && (
            <>
              <Button
                size="sm"
                variant="secondary"
                pending={checkConnection.isPending}
                onClick={() => checkConnection.mutate({})}
              >
                Check connection
              </Button>
              <Button
                size="sm"
                variant="secondary"
                pending={pause.isPending}
                onClick={() => void confirmAndRun('Pause')}
              >
                Pause
              </Button>
            </>
          )}
        </div>
      </Card>
      {isConnecting && <ConnectDialog connection={connection} onClose={() => setIsConnecting(false)} />}
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
  async function confirmAndDisconnect() {
    const isConfirmed = await confirmSwitch('off', {
      title: 'Disconnect TradingView',
      action: 'Disconnect',
      destructive: true,
      also: 'The cookies are deleted, and you unlock and remove people by hand.',
    })
    if (isConfirmed) forget.mutate({})
  }
  return (
    <Button
      variant="danger"
      className="self-start"
      pending={forget.isPending}
      onClick={() => void confirmAndDisconnect()}
    >
      Disconnect
    </Button>
  )
}
