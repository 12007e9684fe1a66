import { CircleCheck, CircleSlash, CircleX, Clock, KeyRound, type LucideIcon } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { type AccessRequest, accessRequests } from '#contract/access/access-requests.ts'
import { type Access as State, tradingView } from '#contract/access/tradingview.ts'
import type { Purchase } from '#contract/selling/purchases.ts'
import { useSettings } from '#web/api/settings.tsx'
import { useData } from '#web/api/use-data.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card, Skeleton } from '#web/ui/card.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { Time } from '#web/ui/time.tsx'
import type { LiveState } from './live-access.tsx'
import { LoadError, Part } from './part.tsx'

// Loaded when they are shown: most visits need neither.
const AccessRequestForm = lazy(() =>
  import('#web/features/access/access-form/access-request-form.tsx').then((module) => ({
    default: module.AccessRequestForm,
  })),
)
const LiveAccess = lazy(() => import('./live-access.tsx').then((module) => ({ default: module.LiveAccess })))

/** The TradingView access status of each live subscription. */
export default function Access({ purchases }: { purchases: Purchase[] }) {
  // Asked again every second, but only while something is being unlocked.
  const { data } = useData(tradingView.mine, {}, { refetchInterval: (mine) => isUnlocking(mine) && 1000 })
  const live = data?.filter(isLive) ?? []
  return (
    <Part
      title="TradingView Access"
      description={
        live.length > 0
          ? 'The indicator unlocks itself for your TradingView account, usually in seconds.'
          : 'We’ll unlock the indicator for your TradingView account within 24 hours of your request.'
      }
    >
      <Requests purchases={purchases} live={live} />
    </Part>
  )
}

const isLive = (access: State): access is LiveState => access.state !== 'manual'

const isUnlocking = (mine: State[] | undefined) =>
  mine?.some(({ state, oldUsername }) => state === 'unlocking' || (state === 'unlocked' && oldUsername)) ===
  true

function Requests({ purchases, live }: { purchases: Purchase[]; live: LiveState[] }) {
  const { data, isError, refetch } = useData(accessRequests.list, {})
  if (isError) return <LoadError what="your access" retry={refetch} />
  if (!data) return <Skeleton className="h-36" />
  return (
    <div className="grid gap-4">
      {purchases.map((purchase) => {
        const access = live.find(({ purchaseId }) => purchaseId === purchase.id)
        if (access)
          return (
            <Suspense key={purchase.id} fallback={<Skeleton className="h-36" />}>
              <LiveAccess access={access} />
            </Suspense>
          )
        return (
          <AccessCard
            key={purchase.id}
            purchase={purchase}
            request={data.find(({ purchaseId }) => purchaseId === purchase.id)}
          />
        )
      })}
    </div>
  )
}

const icons = {
  requested: { icon: Clock, tone: 'warning' },
  granted: { icon: CircleCheck, tone: 'good' },
  refused: { icon: CircleX, tone: 'bad' },
  revoked: { icon: CircleSlash, tone: 'neutral' },
} as const

function AccessCard({ purchase, request }: { purchase: Purchase; request: AccessRequest | undefined }) {
  const [asking, setAsking] = useState(false)
  const profileName = purchase.tradingViewUsername ?? ''
  const hasMoved =
    request !== undefined &&
    profileName !== '' &&
    request.tradingViewUsername.toLowerCase() !== profileName.toLowerCase()
  const { icon, tone } = request ? icons[request.status] : { icon: KeyRound, tone: 'neutral' as const }
  const isSettled = request?.status === 'granted' && !hasMoved
  return (
    <Card className="flex flex-col gap-5 sm:flex-row sm:items-start">
      <Icon of={icon} />
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <div className="flex flex-wrap items-center gap-3">
          <h3 className="text-lg break-words">{request ? request.tradingViewUsername : 'One step left'}</h3>
          {request && <Badge tone={tone}>{request.status}</Badge>}
        </div>
        {request ? <Story {...request} /> : <p>{notAsked}</p>}
        {hasMoved && (
          <p className="text-sm font-medium text-warning">
            Your profile now says {profileName}. Ask again so we can unlock that account.
          </p>
        )}
      </div>
      {!isSettled && (
        <Button variant={request ? 'secondary' : 'primary'} size="sm" onClick={() => setAsking(true)}>
          {labelFor(request)}
        </Button>
      )}
      {asking && (
        <Dialog title="TradingView Access Request" onClose={() => setAsking(false)} className="max-w-lg">
          <Suspense fallback={<Skeleton className="h-96" />}>
            <AccessRequestForm
              of={{ purchaseId: purchase.id }}
              before={{ ...request, tradingViewUsername: profileName }}
              leave={{ label: 'Cancel', onClick: () => setAsking(false) }}
              onSubmitted={() => setAsking(false)}
            />
          </Suspense>
        </Dialog>
      )}
    </Card>
  )
}

const notAsked =
  'Tell us your TradingView username, and we’ll unlock Rebound Sigma Pro for it within 24 hours.'

function labelFor(request: AccessRequest | undefined) {
  if (!request) return 'Request Access'
  return request.status === 'requested' ? 'Change Request' : 'Request Again'
}

function Icon({ of: Shape }: { of: LucideIcon }) {
  return (
    <span className="grid size-11 shrink-0 place-items-center rounded-md bg-accent-soft text-accent-strong max-sm:hidden">
      <Shape aria-hidden="true" className="size-5.5" strokeWidth={1.75} />
    </span>
  )
}

function Story({ status, reason, submittedAt, promisedBy, decidedAt }: AccessRequest) {
  const { supportEmail } = useSettings()
  const [now] = useState(Date.now)
  const decided = decidedAt && <Time value={decidedAt} withClock />
  const stories: Record<AccessRequest['status'], ReactNode> = {
    requested:
      Date.parse(promisedBy) < now ? (
        <>
          We promised access by <Time value={promisedBy} withClock /> and are late. Please write to{' '}
          <a href={`mailto:${supportEmail}`} className="font-medium text-accent underline">
            {supportEmail}
          </a>
          .
        </>
      ) : (
        <>
          Promised by <Time value={promisedBy} withClock />. We’ll email you as soon as it’s done.
        </>
      ),
    granted: (
      <>
        Granted {decided && <>on {decided}</>}. You’ll find the indicator on TradingView under Indicators,
        Invite-only scripts.{' '}
        <Link href="/help#i-paid-and-see-no-indicator" className="font-medium text-accent underline">
          Not there?
        </Link>
      </>
    ),
    refused: <>We couldn’t grant it: {reason}</>,
    revoked: <>Revoked {decided && <>on {decided}</>}. Ask again if you want it back.</>,
  }
  return (
    <>
      <p>{stories[status]}</p>
      <p className="text-sm text-muted">
        Submitted on <Time value={submittedAt} withClock />
      </p>
    </>
  )
}
