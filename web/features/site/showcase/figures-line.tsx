import { useSettings } from '#web/api/settings.tsx'

const formatDuration = (seconds: number) => {
  if (seconds < 90) return `${seconds} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  return `${Math.round(seconds / 3600)} h`
}

/** Hidden without a figure: the seller shows none, or there are too few cases. */
export function UnlockTime() {
  const { secondsToUnlock } = useSettings().figures
  if (secondsToUnlock === null) return null
  return (
    <p className="text-sm text-muted">
      Unlocked in <span className="font-mono text-ink">{formatDuration(secondsToUnlock)}</span> (median, last 30 days)
    </p>
  )
}

export function AnswerTime() {
  const { secondsToAnswer } = useSettings().figures
  if (secondsToAnswer === null) return null
  return (
    <p className="text-sm text-muted">
      First answer after <span className="font-mono text-ink">{formatDuration(secondsToAnswer)}</span> (median, last 30
      days)
    </p>
  )
}
