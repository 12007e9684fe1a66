import { randomBytes, randomUUID } from 'node:crypto'

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

export function periodEnd(anchor: number, step: Step, start: number): number {
  const longest = { day, week: 7 * day, month: 31 * day, year: 366 * day }[step.interval] * step.interval_count
  let times = Math.max(1, Math.floor((start - anchor) / longest))
  while (addSteps(anchor, step, times) <= start) times++
  return addSteps(anchor, step, times)
}

const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

export function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 in a byte: above it, some letters would be more likely.
      if (byte < 248 && text.length < length) text += alphabet[byte % 62]
    }
  }
  return text
}

/** `randomUUID` is faster than `randomBytes`, because Node caches its random data. */
export const newId = (prefix: string) => `${prefix}_${randomUUID().replaceAll('-', '').slice(0, 24)}`

/** Runs the task, never twice at the same time; called while it runs, it runs once more afterwards. */
export function coalesce(task: () => Promise<void>) {
  let running: Promise<void> | undefined
  let again = false

  async function repeat() {
    do {
      again = false
      await task()
    } while (again)
  }

  return {
    run(): Promise<void> {
      again = true
      running ??= repeat().finally(() => {
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
