import { useEffect, useState } from 'react'
import { dayMs } from '#contract/dates.ts'
import { Badge } from '#web/ui/notice.tsx'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

function formatDuration(durationMs: number) {
  if (durationMs < hourMs) return `${Math.max(1, Math.floor(durationMs / minuteMs))} min`
  if (durationMs < 48 * hourMs) return `${Math.floor(durationMs / hourMs)} h`
  return `${Math.floor(durationMs / dayMs)} days`
}

/** Time until a deadline, such as "5 h left"; amber within 6 hours, red when late. */
export function timeLeft(dueAt: string, now: number) {
  const remainingMs = new Date(dueAt).getTime() - now
  const duration = formatDuration(Math.abs(remainingMs))
  if (remainingMs <= 0) return { text: `Overdue by ${duration}`, tone: 'bad' } as const
  return { text: `${duration} left`, tone: remainingMs < 6 * hourMs ? 'warning' : 'neutral' } as const
}

const relativeFormat = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const startOfDay = (time: number) => new Date(time).setHours(0, 0, 0, 0)

/** Time until a deadline, such as "in 5 hours" or "tomorrow"; amber within 48 hours, red when late. */
export function dueIn(dueAt: string, now: number) {
  const dueTime = new Date(dueAt).getTime()
  const remainingMs = dueTime - now
  if (remainingMs <= 0) return timeLeft(dueAt, now)
  const daysLeft = Math.round((startOfDay(dueTime) - startOfDay(now)) / dayMs)
  const text =
    daysLeft === 0
      ? relativeFormat.format(Math.max(1, Math.floor(remainingMs / hourMs)), 'hour')
      : relativeFormat.format(daysLeft, 'day')
  return { text, tone: remainingMs < 48 * hourMs ? 'warning' : 'neutral' } as const
}

export function TimeLeft({ until }: { until: string }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), minuteMs)
    return () => clearInterval(timer)
  }, [])
  const { text, tone } = timeLeft(until, now)
  return <Badge tone={tone}>{text}</Badge>
}
