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

type StateStyle = { icon: LucideIcon; tone: NonNullable<ComponentProps<typeof Badge>['tone']>; text: string }

const stateStyles: Record<AccessState, StateStyle> = {
  none: { icon: KeyRound, tone: 'neutral', text: '' },
  asked: { icon: Clock, tone: 'warning', text: 'requested' },
  unlocking: { icon: LoaderCircle, tone: 'warning', text: 'unlocking' },
  unlocked: { icon: CircleCheck, tone: 'good', text: 'unlocked' },
  locked: { icon: LockKeyhole, tone: 'neutral', text: 'locked' },
  declined: { icon: CircleX, tone: 'bad', text: 'declined' },
  withheld: { icon: CircleSlash, tone: 'neutral', text: 'removed' },
}

const problemTexts: Record<NameProblem, string> = { not_found: 'not found', taken: 'taken', unreadable: 'not valid' }

/** Null once access is unlocked, declined or withheld: the buyer has nothing to solve. */
export const usernameProblem = ({ state, problem }: OwnAccess) =>
  state === 'unlocked' || state === 'declined' || state === 'withheld' ? null : problem

export function styleOf(ownAccess: OwnAccess): StateStyle {
  const problem = usernameProblem(ownAccess)
  return problem ? { icon: CircleX, tone: 'bad', text: problemTexts[problem] } : stateStyles[ownAccess.state]
}

export function StateBadge({ ownAccess }: { ownAccess: OwnAccess }) {
  const { tone, text } = styleOf(ownAccess)
  return text && <Badge tone={tone}>{text}</Badge>
}

export function AccessSentence(props: { ownAccess: OwnAccess; purchase: Purchase | undefined }) {
  const { ownAccess, purchase } = props
  const { state, username, similar, promisedBy, unlocksItself } = ownAccess
  const problem = usernameProblem(ownAccess)
  const needsOnlyUsername = unlocksItself && !username
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
          {needsOnlyUsername ? 'Add your TradingView username.' : 'Send us your access request.'}{' '}
          {accessPromise(ownAccess)}
        </>
      )
    case 'asked':
      return <RequestSentence promisedBy={promisedBy} />
    case 'unlocking':
      return (
        <>
          Unlocking {username}… {accessPromise(ownAccess)}
        </>
      )
    case 'unlocked':
      return <UnlockedSentence ownAccess={ownAccess} purchase={purchase} />
    case 'declined':
      return <>We couldn’t unlock it: {ownAccess.declinedBecause}</>
    case 'withheld':
      return <>We’ve removed your access. You can ask for it again, or reply to any of our emails.</>
  }
}

function RequestSentence({ promisedBy }: { promisedBy: string | null }) {
  const { supportEmail } = useSettings()
  const [now] = useState(Date.now)
  if (!promisedBy) return 'We have your request and will email you.'
  if (Date.parse(promisedBy) < now)
    return (
      <>
        We promised access by <Time value={promisedBy} withClock /> and are late. Please write to{' '}
        <a
          href={`mailto:${supportEmail}`}
          className="font-medium text-ink underline decoration-field underline-offset-4"
        >
          {supportEmail}
        </a>
        .
      </>
    )
  return <Time before="We have your request and will email you by" value={promisedBy} withClock after="." />
}

function UnlockedSentence(props: { ownAccess: OwnAccess; purchase: Purchase | undefined }) {
  const { ownAccess, purchase } = props
  const { reason, until } = ownAccess
  // `until` includes the grace period; buyers read the end of the period that they paid for.
  const paidUntil = purchase?.endsAt ?? purchase?.currentPeriodEnd
  const renewalText = 'Unlocked. Your subscription renews on'
  if (reason === 'renews') return paidUntil ? <Time before={renewalText} value={paidUntil} after="." /> : 'Unlocked.'
  const end = reason === 'ends' ? (paidUntil ?? until) : until
  return (
    <>
      {end ? <Time before="Unlocked until" value={end} after="." /> : 'Unlocked.'}{' '}
      {reason === 'unpaid' && 'Please update your card to keep it.'}
      {reason === 'disputed' && 'Your payment is disputed, so it isn’t extended for now.'}
    </>
  )
}
