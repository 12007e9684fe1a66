import { useEffect, useState } from 'react'
import { Badge } from '#web/ui/notice.tsx'

const minute = 60_000
const hour = 60 * minute

export function timeLeft(promisedBy: string, now: number) {
  const remainingMs = new Date(promisedBy).getTime() - now
  const away = Math.abs(remainingMs)
  const words =
    away < hour
      ? `${Math.max(1, Math.floor(away / minute))} min`
      : away < 48 * hour
        ? `${Math.floor(away / hour)} h`
        : `${Math.floor(away / (24 * hour))} days`
  if (remainingMs <= 0) return { text: `Overdue by ${words}`, tone: 'bad' } as const
  return { text: `${words} left`, tone: remainingMs < 6 * hour ? 'warning' : 'neutral' } as const
}

const days = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const startOfDay = (at: number) => new Date(at).setHours(0, 0, 0, 0)

/** Time until a deadline, such as "in 5 hours" or "tomorrow"; amber within 48 hours, red when late. */
export function dueIn(dueAt: string, now: number) {
  const at = new Date(dueAt).getTime()
  const remainingMs = at - now
  if (remainingMs <= 0) return timeLeft(dueAt, now)
  const away = Math.round((startOfDay(at) - startOfDay(now)) / (24 * hour))
  const text = away === 0 ? days.format(Math.max(1, Math.floor(remainingMs / hour)), 'hour') : days.format(away, 'day')
  return { text, tone: remainingMs < 48 * hour ? 'warning' : 'neutral' } as const
}

export function TimeLeft({ until }: { until: string }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), minute)
    return () => clearInterval(timer)
  }, [])
  const { text, tone } = timeLeft(until, now)
  return <Badge tone={tone}>{text}</Badge>
}
