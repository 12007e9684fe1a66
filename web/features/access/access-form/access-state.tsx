import {
  CircleCheck,
  CircleSlash,
  CircleX,
  Clock,
  KeyRound,
  LoaderCircle,
  LockKeyhole,
  type LucideIcon,
} from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import type { OwnAccess } from '#contract/access/access.ts'
import { accessPromise } from '#contract/access/promise.ts'
import type { Purchase } from '#contract/selling/purchases.ts'
import type { AccessState, NameProblem } from '#contract/statuses.ts'
import { nameTakenMessage } from '#contract/tradingview-name.ts'
import { useSettings } from '#web/api/settings.tsx'
import { Badge } from '#web/ui/notice.tsx'
import { Time } from '#web/ui/time.tsx'

type Look = { icon: LucideIcon; tone: NonNullable<ComponentProps<typeof Badge>['tone']>; text: string }

const looks: Record<AccessState, Look> = {
  none: { icon: KeyRound, tone: 'neutral', text: '' },
  asked: { icon: Clock, tone: 'warning', text: 'requested' },
  unlocking: { icon: LoaderCircle, tone: 'warning', text: 'unlocking' },
  unlocked: { icon: CircleCheck, tone: 'good', text: 'unlocked' },
  locked: { icon: LockKeyhole, tone: 'neutral', text: 'locked' },
  declined: { icon: CircleX, tone: 'bad', text: 'declined' },
  withheld: { icon: CircleSlash, tone: 'neutral', text: 'removed' },
}

const problems: Record<NameProblem, string> = { not_found: 'not found', taken: 'taken', unreadable: 'not valid' }

/** Problem of the username, unless it is already unlocked or decided. */
export const problemOf = ({ state, problem }: OwnAccess) =>
  state === 'unlocked' || state === 'declined' || state === 'withheld' ? null : problem

export function lookOf(mine: OwnAccess): Look {
  const problem = problemOf(mine)
  return problem ? { icon: CircleX, tone: 'bad', text: problems[problem] } : looks[mine.state]
}

export function StateBadge({ mine }: { mine: OwnAccess }) {
  const { tone, text } = lookOf(mine)
  return text && <Badge tone={tone}>{text}</Badge>
}

export function AccessSentence({ mine, purchase }: { mine: OwnAccess; purchase: Purchase | undefined }) {
  const { state, username, similar, promisedBy } = mine
  const problem = problemOf(mine)
  if (problem === 'taken') return <>{nameTakenMessage} If it’s yours, please write to us.</>
  if (problem === 'unreadable') return <>{username} can’t be a TradingView username. Please correct it.</>
  if (problem === 'not_found')
    return (
      <>
        We can’t find <strong>{username}</strong> on TradingView.{' '}
        {similar.length > 0
          ? `Did you mean ${similar.join(' or ')}?`
          : 'You’ll find your username in the link to your profile: tradingview.com/u/your_name'}
      </>
    )
  switch (state) {
    case 'none':
    case 'locked':
      return (
        <>
          {username || !mine.unlocksItself ? 'Send us your access request.' : 'Add your TradingView username.'}{' '}
          {accessPromise(mine)}
        </>
      )
    case 'asked':
      return <Promised by={promisedBy} />
    case 'unlocking':
      return (
        <>
          Unlocking {username}… {accessPromise(mine)}
        </>
      )
    case 'unlocked':
      return <Unlocked mine={mine} purchase={purchase} />
    case 'declined':
      return <>We couldn’t unlock it: {mine.declinedBecause}</>
    case 'withheld':
      return <>We’ve removed your access. You can ask for it again, or reply to any of our emails.</>
  }
}

function Promised({ by }: { by: string | null }) {
  const { supportEmail } = useSettings()
  const [now] = useState(Date.now)
  if (!by) return 'We have your request and will email you.'
  if (Date.parse(by) < now)
    return (
      <>
        We promised access by <Time value={by} withClock /> and are late. Please write to{' '}
        <a
          href={`mailto:${supportEmail}`}
          className="font-medium text-ink underline decoration-field underline-offset-4"
        >
          {supportEmail}
        </a>
        .
      </>
    )
  return <Time before="We have your request and will email you by" value={by} withClock after="." />
}

function Unlocked({ mine: { reason, until }, purchase }: { mine: OwnAccess; purchase: Purchase | undefined }) {
  // Buyers read the day they paid for, without the grace period.
  const paidUntil = purchase?.endsAt ?? purchase?.currentPeriodEnd
  const renews = 'Unlocked. Your subscription renews on'
  if (reason === 'renews') return paidUntil ? <Time before={renews} value={paidUntil} after="." /> : 'Unlocked.'
  const end = reason === 'ends' ? (paidUntil ?? until) : until
  return (
    <>
      {end ? <Time before="Unlocked until" value={end} after="." /> : 'Unlocked.'}{' '}
      {reason === 'unpaid' && 'Please update your card to keep it.'}
      {reason === 'disputed' && 'Your payment is disputed, so it isn’t extended for now.'}
    </>
  )
}
