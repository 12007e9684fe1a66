export type Interval = 'day' | 'week' | 'month' | 'year'
export type Step = { interval: Interval; interval_count: number }

export const day = 86_400

/** Months are counted from the anchor, so that January 31, February 28, March 31 does not drift. */
export function addSteps(anchor: number, step: Step, times: number): number {
  const count = step.interval_count * times
  if (step.interval === 'day') return anchor + count * day
  if (step.interval === 'week') return anchor + count * 7 * day
  const date = new Date(anchor * 1000)
  const months = date.getUTCMonth() + (step.interval === 'year' ? 12 * count : count)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), months + 1, 0)).getUTCDate()
  const target = Date.UTC(date.getUTCFullYear(), months, Math.min(date.getUTCDate(), lastDay))
  return target / 1000 + (anchor % day)
}

/** The end of the billing period that starts at `start`, for a subscription anchored at `anchor`. */
export function periodEnd(anchor: number, step: Step, start: number): number {
  const longest =
    { day, week: 7 * day, month: 31 * day, year: 366 * day }[step.interval] * step.interval_count
  let times = Math.max(1, Math.floor((start - anchor) / longest))
  while (addSteps(anchor, step, times) <= start) times++
  return addSteps(anchor, step, times)
}
