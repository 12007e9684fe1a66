import { type ReactNode, useState } from 'react'
import { access, type OwnAccess } from '#contract/access/access.ts'
import type { Purchase } from '#contract/selling/purchases.ts'
import { CallButton } from '#web/api/call-button.tsx'
import { useCall } from '#web/api/use-call.ts'
import { AccessRequestForm } from '#web/features/access/access-form/access-request-form.tsx'
import { AccessSentence, lookOf, problemOf, StateBadge } from '#web/features/access/access-form/access-state.tsx'
import { OpenIndicator, useAccess } from '#web/features/access/access-form/open-indicator.tsx'
import { UsernameDialog, usernameChange } from '#web/features/access/access-form/username-dialog.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card, Pending } from '#web/ui/card.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { Time } from '#web/ui/time.tsx'
import { DashboardSection } from './dashboard-section.tsx'

export default function Access({ purchases }: { purchases: Purchase[] }) {
  const query = useAccess()
  const { data } = query
  return (
    <DashboardSection title="TradingView Access">
      {data ? (
        <div className="grid gap-4">
          {purchases.map((purchase) => {
            const mine = data.find(({ purchaseId }) => purchaseId === purchase.id)
            return (
              mine && <AccessCard key={purchase.id} mine={mine} purchase={purchase} isNamed={purchases.length > 1} />
            )
          })}
        </div>
      ) : (
        <Pending query={query} what="your access" className="h-36" />
      )}
    </DashboardSection>
  )
}

/** `isNamed`: the card names its product, for buyers of several. */
function AccessCard({ mine, purchase, isNamed }: { mine: OwnAccess; purchase: Purchase; isNamed: boolean }) {
  const { state, username, oldUsername, mayChangeFrom } = mine
  const [opened, setOpened] = useState<'form' | 'name' | null>(null)
  const close = () => setOpened(null)
  const { icon: Icon } = lookOf(mine)
  const isAsked = state === 'asked' || state === 'unlocking' || state === 'unlocked'
  return (
    <Card className="flex flex-col gap-5 sm:flex-row sm:items-start">
      <span className="grid size-11 shrink-0 place-items-center rounded-md bg-line/60 text-ink max-sm:hidden">
        <Icon
          className={
            state === 'unlocking' && !mine.problem ? 'size-5.5 animate-spin motion-reduce:animate-none' : 'size-5.5'
          }
          strokeWidth={1.75}
        />
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        {isNamed && <p className="text-sm text-muted">{purchase.product.name}</p>}
        <div className="flex flex-wrap items-center gap-3">
          <h3 className="text-lg break-words">{username ?? 'One step left'}</h3>
          <StateBadge mine={mine} />
        </div>
        <p role="status">
          <AccessSentence mine={mine} purchase={purchase} />
        </p>
        {state === 'unlocked' && (
          <p className="text-sm text-muted">
            On TradingView: Indicators → Invite-only scripts.{' '}
            <Link
              href="/help#i-paid-and-see-no-indicator"
              className="font-medium text-ink underline decoration-field underline-offset-4"
            >
              Not there?
            </Link>{' '}
            <Link
              href="/setup-guide"
              className="font-medium whitespace-nowrap text-ink underline decoration-field underline-offset-4"
            >
              Setup guide (5 minutes)
            </Link>
          </p>
        )}
        {oldUsername && <p className="text-sm text-muted">{oldUsername} stays unlocked until the new one is.</p>}
        {isAsked && mayChangeFrom ? (
          <p className="text-sm text-muted">
            You can change the username again on <Time value={mayChangeFrom} />.
          </p>
        ) : (
          isAsked &&
          !problemOf(mine) && (
            <button
              type="button"
              onClick={() => setOpened('name')}
              className="w-fit cursor-pointer rounded-sm text-sm font-medium text-ink underline decoration-field underline-offset-4"
            >
              Change username
            </button>
          )
        )}
      </div>
      <div className="flex flex-wrap gap-2 sm:flex-col sm:items-end">
        <TheButton mine={mine} open={setOpened} />
      </div>
      {opened === 'name' && <UsernameDialog mine={mine} onClose={close} />}
      {opened === 'form' && (
        <Dialog title="TradingView Access Request" onClose={close} className="max-w-lg">
          <AccessRequestForm
            purchase={{ purchaseId: purchase.id }}
            username={username}
            leave={{ label: 'Cancel', onClick: close }}
            onSubmitted={close}
          />
        </Dialog>
      )}
    </Card>
  )
}

function TheButton({ mine, open }: { mine: OwnAccess; open: (what: 'form' | 'name') => void }): ReactNode {
  const { state, purchaseId, unlocksItself, similar } = mine
  const recheck = useCall(access.recheck, { refreshes: usernameChange.refreshes, failed: 'Failed to check again' })
  if (problemOf(mine))
    return (
      <>
        {similar.map((name) => (
          <CallButton
            key={name}
            call={access.changeUsername}
            input={{ purchaseId, username: name }}
            options={usernameChange}
            size="sm"
          >
            Use {name}
          </CallButton>
        ))}
        <Button variant={similar.length > 0 ? 'secondary' : 'primary'} size="sm" onClick={() => open('name')}>
          Change Username
        </Button>
      </>
    )
  switch (state) {
    case 'none':
    case 'locked':
      return (
        <Button onClick={() => open(unlocksItself ? 'name' : 'form')}>
          {unlocksItself ? 'Enter Username' : 'Request Access'}
        </Button>
      )
    case 'declined':
    case 'withheld':
      return (
        <Button variant="secondary" size="sm" onClick={() => open('form')}>
          Request Again
        </Button>
      )
    case 'asked':
      return null
    case 'unlocking':
      return (
        <>
          <Button
            variant="secondary"
            size="sm"
            pending={recheck.isPending}
            onClick={() => recheck.mutate({ purchaseId })}
          >
            Check again
          </Button>
          <output className="text-sm text-muted">{recheck.isSuccess && 'Checked just now'}</output>
        </>
      )
    case 'unlocked':
      return <OpenIndicator product={mine.product} size="lg" />
  }
}
