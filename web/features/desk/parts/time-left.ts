const minute = 60_000
const hour = 60 * minute

export function timeLeft(promisedBy: string, now: number) {
  const left = new Date(promisedBy).getTime() - now
  const away = Math.abs(left)
  const words =
    away < hour
      ? `${Math.max(1, Math.floor(away / minute))} min`
      : away < 48 * hour
        ? `${Math.floor(away / hour)} h`
        : `${Math.floor(away / (24 * hour))} days`
  return left <= 0
    ? { text: `Overdue by ${words}`, isOverdue: true, isSoon: false }
    : { text: `${words} left`, isOverdue: false, isSoon: left < 6 * hour }
}
