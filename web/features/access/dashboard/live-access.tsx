import { CircleCheck, CircleX, KeyRound, LoaderCircle, type LucideIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { accessRequests } from '#contract/access/access-requests.ts'
import { type Access, tradingView } from '#contract/access/tradingview.ts'
import { nameTaken } from '#contract/tradingview-name.ts'
import * as z from '#contract/zod.ts'
import { useCall } from '#web/api/use-call.ts'
import { UsernameInput } from '#web/features/selling/checkout/username-input.tsx'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Time } from '#web/ui/time.tsx'

/** What is done by hand is told by the request. */
export type LiveState = Access & { state: Exclude<Access['state'], 'manual'> }

const refreshes = [tradingView.mine, accessRequests.list]

const appearance = {
  none: { icon: KeyRound, badge: null },
  unlocking: { icon: LoaderCircle, badge: <Badge tone="warning">unlocking</Badge> },
  unlocked: { icon: CircleCheck, badge: <Badge tone="good">unlocked</Badge> },
  name_not_found: { icon: CircleX, badge: <Badge tone="bad">not found</Badge> },
  taken: { icon: CircleX, badge: <Badge tone="bad">taken</Badge> },
} satisfies Record<LiveState['state'], { icon: LucideIcon; badge: ReactNode }>

/** Access that unlocks itself: the buyer sees it happen. */
export function LiveAccess({ access }: { access: LiveState }) {
  const { state, username, purchaseId, mayChangeFrom, oldUsername } = access
  const [naming, setNaming] = useState(false)
  const recheck = useCall(tradingView.recheck, { refreshes, failed: 'Failed to check again' })
  const { icon: Icon, badge } = appearance[state]
  return (
    <Card className="flex flex-col gap-5 sm:flex-row sm:items-start">
      <span className="grid size-11 shrink-0 place-items-center rounded-md bg-accent-soft text-accent-strong max-sm:hidden">
        <Icon
          aria-hidden="true"
          className={state === 'unlocking' ? 'size-5.5 animate-spin motion-reduce:animate-none' : 'size-5.5'}
          strokeWidth={1.75}
        />
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <div className="flex flex-wrap items-center gap-3">
          <h3 className="text-lg break-words">{username ?? 'One step left'}</h3>
          {badge}
        </div>
        <div role="status" className="flex flex-col gap-2">
          <Story access={access} />
        </div>
        {oldUsername && state !== 'unlocked' && (
          <p className="text-sm text-muted">{oldUsername} stays unlocked until the new one is.</p>
        )}
        {mayChangeFrom && (
          <p className="text-sm text-muted">
            You can change the username again on <Time value={mayChangeFrom} />.
          </p>
        )}
      </div>
      <div className="flex flex-wrap gap-2 sm:flex-col">
        {!mayChangeFrom && (
          <Button
            variant={state === 'none' ? 'primary' : 'secondary'}
            size="sm"
            onClick={() => setNaming(true)}
          >
            {username ? 'Change Username' : 'Enter Username'}
          </Button>
        )}
        {username && state !== 'taken' && (
          <Button
            variant="ghost"
            size="sm"
            pending={recheck.isPending}
            onClick={() => recheck.mutate({ purchaseId })}
          >
            Check again
          </Button>
        )}
      </div>
      {naming && <NameDialog access={access} onClose={() => setNaming(false)} />}
    </Card>
  )
}

function Story({ access: { state, username, until, reason, similar, purchaseId } }: { access: LiveState }) {
  const change = useCall(tradingView.changeUsername, { refreshes, failed: 'Failed to change the username' })
  switch (state) {
    case 'none':
      return <p>Enter your TradingView username, and Rebound Sigma Pro unlocks in seconds.</p>
    case 'unlocking':
      return <p>Unlocking {username}… This usually takes a few seconds.</p>
    case 'unlocked':
      return (
        <>
          <p>
            {until ? (
              <>
                Unlocked until <Time value={until} />.
              </>
            ) : (
              'Unlocked.'
            )}{' '}
            {reason === 'renews' && 'It renews automatically.'}
            {reason === 'unpaid' && 'Please update your card to keep it.'}
            {reason === 'disputed' && 'Your payment is disputed, so it isn’t extended for now.'}
          </p>
          <p className="text-sm text-muted">
            On TradingView: Indicators → Invite-only scripts. Not there? Reload the chart.
          </p>
        </>
      )
    case 'name_not_found':
      return (
        <>
          <p>
            TradingView does not know <strong>{username}</strong>.
            {similar.length > 0
              ? ` Did you mean ${similar.join(' or ')}?`
              : ' You’ll find your username on your TradingView profile.'}
          </p>
          <div className="flex flex-wrap gap-2">
            {similar.map((name) => (
              <Button
                key={name}
                variant="secondary"
                size="sm"
                pending={change.isPending}
                onClick={() => change.mutate({ purchaseId, username: name })}
              >
                Use {name}
              </Button>
            ))}
          </div>
        </>
      )
    case 'taken':
      return <p>{nameTaken} If it’s yours, please write to us.</p>
  }
}

const nameForm = z.object({
  username: z.string().check(z.trim(), z.minLength(1, 'TradingView username is required')),
})

function NameDialog({ access, onClose }: { access: LiveState; onClose: () => void }) {
  const change = useCall(tradingView.changeUsername, { refreshes, failed: 'Failed to change the username' })
  return (
    <Dialog
      title="TradingView Username"
      description={
        access.state === 'unlocked'
          ? 'The new account is unlocked first; only then is the old one locked. You can do this once a week.'
          : 'The name on your TradingView profile, not your email address.'
      }
      onClose={onClose}
      className="max-w-md"
    >
      <Form
        schema={nameForm}
        aria-label="TradingView Username"
        className="flex flex-col gap-5"
        onSubmit={async ({ username }) => {
          await change.mutateAsync({ purchaseId: access.purchaseId, username })
          onClose()
        }}
      >
        <Field name="username" label="TradingView Username">
          <UsernameInput defaultValue={access.state === 'unlocked' ? '' : (access.username ?? '')} />
        </Field>
        <div className="flex gap-3 max-sm:flex-col">
          <SubmitButton pendingText="Saving...">Unlock this account</SubmitButton>
          <Button variant="secondary" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
