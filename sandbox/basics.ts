import { randomBytes } from 'node:crypto'

export type Interval = 'day' | 'week' | 'month' | 'year'
export type Step = { interval: Interval; interval_count: number }

export const day = 86_400

/** Counts months from the anchor, so that a start on January 31 renews on February 28 and on March 31. */
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

/** First multiple of the step after `start`. */
export function periodEnd(anchor: number, step: Step, start: number): number {
  const longestStepSeconds =
    { day, week: 7 * day, month: 31 * day, year: 366 * day }[step.interval] * step.interval_count
  // Starts at a lower bound, because months and years differ in length.
  let times = Math.max(1, Math.floor((start - anchor) / longestStepSeconds))
  while (addSteps(anchor, step, times) <= start) times++
  return addSteps(anchor, step, times)
}

const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

export function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // Skips bytes from 248, the largest multiple of 62, so that each of the 62 characters is equally likely.
      if (byte < 248 && text.length < length) text += alphabet[byte % 62]
    }
  }
  return text
}

export const newId = (prefix: string) => `${prefix}_${randomText(24)}`

/** A call during a run causes one more run after it. */
export function coalesce(task: () => Promise<void>) {
  let running: Promise<void> | undefined
  let isRunRequested = false

  async function runWhileRequested() {
    while (isRunRequested) {
      isRunRequested = false
      await task()
    }
  }

  return {
    run(): Promise<void> {
      isRunRequested = true
      running ??= runWhileRequested().finally(() => {
        running = undefined
      })
      return running
    },
    idle: async () => running,
  }
}

export type List<T> = { object: 'list'; data: T[]; has_more: boolean; url: string }

export const listOf = <T>(url: string, data: T[], hasMore = false): List<T> => ({
  object: 'list',
  data,
  has_more: hasMore,
  url,
})
