import { type AdminNewsletter, newsletters } from '#contract/site/newsletters.ts'
import { stoppableStates } from '#contract/statuses.ts'
import { CallButton } from '#web/api/call-button.tsx'
import { Card } from '#web/ui/card.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Time } from '#web/ui/time.tsx'
import { StateBadge } from './newsletters.tsx'
import { formatAddresses, MissingRequirements } from './send-card.tsx'

const pauseReasonTexts = {
  asked: 'You paused it.',
  connections: 'The mail server couldn’t be reached ten times in a row.',
  missed: 'Its time has passed by more than an hour. Send it anyway?',
  restored:
    'A backup was restored. What was sent after the backup isn’t in it: some people may get it twice if you resume.',
  incomplete: 'Something that sending needs was missing. It’s there now.',
}

const figures = [
  ['sent', 'Sent'],
  ['waiting', 'Waiting'],
  ['refused', 'Bounced'],
  ['uncertain', 'Not confirmed'],
  ['unsubscribed', 'Unsubscribed'],
] as const

export function Progress({ newsletter }: { newsletter: AdminNewsletter }) {
  const { id, state, counts, pausedBecause, lastError, scheduledFor, startedAt, finishedAt, missing } = newsletter
  const total = counts.waiting + counts.sent + counts.refused + counts.uncertain

  const isExplainedByMissing = pausedBecause === 'incomplete' && missing.length > 0

  const stopQuestion = {
    title: startedAt ? 'Stop newsletter' : 'Take it back',
    description: startedAt
      ? `${formatAddresses(counts.waiting)} won’t get it. This action cannot be undone.`
      : 'It becomes a draft again.',
    action: startedAt ? 'Stop' : 'Take it back',
    destructive: true,
  }

  return (
    <Card className="flex flex-col gap-5">
      <p className="text-sm text-muted">
        <StateBadge state={state} counts={counts} />{' '}
        {!startedAt && <Time before="Goes out on" value={scheduledFor} withClock />}
        <Time before="Started on" value={startedAt} withClock />
        <Time before=", ended on" value={finishedAt} withClock />
      </p>
      {!finishedAt && <MissingRequirements missing={missing} />}
      {state === 'paused' && pausedBecause && !isExplainedByMissing && (
        <Notice tone="warning">
          <p>{pauseReasonTexts[pausedBecause]}</p>
          {lastError && <p className="break-words">{lastError}</p>}
        </Notice>
      )}
      {startedAt && (
        <>
          <progress
            aria-label="Progress"
            className="h-1.5 w-full accent-accent"
            value={total - counts.waiting}
            max={total || 1}
          />
          <dl className="flex flex-wrap gap-x-6 gap-y-4">
            {figures.map(([name, label]) => (
              <div key={name}>
                <dt className="text-sm text-muted">{name === 'waiting' && finishedAt ? 'Not sent' : label}</dt>
                <dd className="text-xl font-semibold tabular-nums">{counts[name].toLocaleString('en-US')}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
      {counts.uncertain > 0 && (
        <p className="text-sm text-muted">
          Not confirmed: the connection or the shop ended before the mail server answered. They may have it, so it isn’t
          sent to them again.
        </p>
      )}
      <FailedAddresses newsletter={newsletter} />
      {stoppableStates.some((stoppable) => stoppable === state) && (
        <div className="flex justify-end gap-3 max-sm:flex-col-reverse">
          <CallButton
            call={newsletters.adminStop}
            input={{ id }}
            options={{ failed: 'Failed to stop it' }}
            question={stopQuestion}
            variant="dangerGhost"
          >
            {stopQuestion.action}
          </CallButton>
          {state === 'sending' && (
            <CallButton
              call={newsletters.adminPause}
              input={{ id }}
              options={{ failed: 'Failed to pause it' }}
              variant="secondary"
            >
              Pause
            </CallButton>
          )}
          {state === 'paused' && (
            <CallButton call={newsletters.adminResume} input={{ id }} options={{ failed: 'Failed to resume it' }}>
              {startedAt ? 'Resume' : 'Send now'}
            </CallButton>
          )}
        </div>
      )}
    </Card>
  )
}

function FailedAddresses({ newsletter: { troubled, counts } }: { newsletter: AdminNewsletter }) {
  if (troubled.length === 0) return null
  return (
    <details>
      <summary className="cursor-pointer font-medium">
        Refused and uncertain addresses
        {troubled.length < counts.refused + counts.uncertain && `, the first ${troubled.length}`}
      </summary>
      <ul className="mt-3 flex flex-col divide-y divide-line text-sm">
        {troubled.map(({ email, state, reply }) => (
          <li key={email} className="py-2 break-words">
            <span className="font-medium">{email}</span>, {state}
            {reply && <span className="block text-muted">{reply}</span>}
          </li>
        ))}
      </ul>
    </details>
  )
}
