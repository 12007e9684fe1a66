import { type ReactNode, useState } from 'react'
import { access, type OwnAccess } from '#contract/access/access.ts'
import type { Purchase } from '#contract/selling/purchases.ts'
import { CallButton } from '#web/api/call-button.tsx'
import { useCall } from '#web/api/use-call.ts'
import { AccessRequestForm } from '#web/features/access/access-form/access-request-form.tsx'
import { AccessSentence, StateBadge, styleOf, usernameProblem } from '#web/features/access/access-form/access-state.tsx'
import { OpenIndicator, useAccess } from '#web/features/access/access-form/open-indicator.tsx'
import { UsernameDialog, usernameChangeOptions } from '#web/features/access/access-form/username-dialog.tsx'
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
            const ownAccess = data.find(({ purchaseId }) => purchaseId === purchase.id)
            return (
              ownAccess && (
                <AccessCard
                  key={purchase.id}
                  ownAccess={ownAccess}
                  purchase={purchase}
                  showsProductName={purchases.length > 1}
                />
              )
            )
          })}
        </div>
      ) : (
        <Pending query={query} what="your access" className="h-36" />
      )}
    </DashboardSection>
  )
}

function AccessCard(props: { ownAccess: OwnAccess; purchase: Purchase; showsProductName: boolean }) {
  const { ownAccess, purchase, showsProductName } = props
  const { state, username, oldUsername, mayChangeFrom } = ownAccess
  const [dialog, setDialog] = useState<'form' | 'username' | null>(null)
  const close = () => setDialog(null)
  const { icon: Icon } = styleOf(ownAccess)
  const isSpinning = state === 'unlocking' && !ownAccess.problem
  const isRequested = state === 'asked' || state === 'unlocking' || state === 'unlocked'
  const canChangeUsername = isRequested && !mayChangeFrom && !usernameProblem(ownAccess)
  return (
    <Card className="flex flex-col gap-5 sm:flex-row sm:items-start">
      <span className="grid size-11 shrink-0 place-items-center rounded-md bg-line/60 text-ink max-sm:hidden">
        <Icon
          className={isSpinning ? 'size-5.5 animate-spin motion-reduce:animate-none' : 'size-5.5'}
          strokeWidth={1.75}
        />
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        {showsProductName && <p className="text-sm text-muted">{purchase.product.name}</p>}
        <div className="flex flex-wrap items-center gap-3">
          <h3 className="text-lg break-words">{username ?? 'One step left'}</h3>
          <StateBadge ownAccess={ownAccess} />
        </div>
        <p role="status">
          <AccessSentence ownAccess={ownAccess} purchase={purchase} />
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
        {isRequested && mayChangeFrom && (
          <p className="text-sm text-muted">
            You can change the username again on <Time value={mayChangeFrom} />.
          </p>
        )}
        {canChangeUsername && (
          <button
            type="button"
            onClick={() => setDialog('username')}
            className="w-fit cursor-pointer rounded-sm text-sm font-medium text-ink underline decoration-field underline-offset-4"
          >
            Change username
          </button>
        )}
      </div>
      <div className="flex flex-wrap gap-2 sm:flex-col sm:items-end">
        <Actions ownAccess={ownAccess} openDialog={setDialog} />
      </div>
      {dialog === 'username' && <UsernameDialog ownAccess={ownAccess} onClose={close} />}
      {dialog === 'form' && (
        <Dialog title="TradingView Access Request" onClose={close} className="max-w-lg">
          <AccessRequestForm
            purchase={{ purchaseId: purchase.id }}
            username={username}
            secondButton={{ label: 'Cancel', onClick: close }}
            onSubmitted={close}
          />
        </Dialog>
      )}
    </Card>
  )
}

function Actions(props: { ownAccess: OwnAccess; openDialog: (dialog: 'form' | 'username') => void }): ReactNode {
  const { ownAccess, openDialog } = props
  const { state, product, purchaseId, unlocksItself, similar } = ownAccess
  const recheck = useCall(access.recheck, {
    refreshes: usernameChangeOptions.refreshes,
    failed: 'Failed to check again',
  })
  if (usernameProblem(ownAccess))
    return (
      <>
        {similar.map((name) => (
          <CallButton
            key={name}
            call={access.changeUsername}
            input={{ purchaseId, username: name }}
            options={usernameChangeOptions}
            size="sm"
          >
            Use {name}
          </CallButton>
        ))}
        <Button variant={similar.length > 0 ? 'secondary' : 'primary'} size="sm" onClick={() => openDialog('username')}>
          Change Username
        </Button>
      </>
    )
  switch (state) {
    case 'none':
    case 'locked':
      return (
        <Button onClick={() => openDialog(unlocksItself ? 'username' : 'form')}>
          {unlocksItself ? 'Enter Username' : 'Request Access'}
        </Button>
      )
    case 'declined':
    case 'withheld':
      return (
        <Button variant="secondary" size="sm" onClick={() => openDialog('form')}>
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
      return <OpenIndicator product={product} size="lg" />
  }
}
