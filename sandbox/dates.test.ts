import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addSteps, periodEnd } from './basics.ts'

const at = (text: string) => Date.parse(text) / 1000
const monthly = { interval: 'month', interval_count: 1 } as const

test('from January 31 the months end on February 28, March 31, April 30', () => {
  const anchor = at('2025-01-31T09:30:00Z')
  const ends = [1, 2, 3].map((times) => new Date(addSteps(anchor, monthly, times) * 1000).toISOString())
  expect(ends).toEqual(['2025-02-28T09:30:00.000Z', '2025-03-31T09:30:00.000Z', '2025-04-30T09:30:00.000Z'])
})

test('from February 29 the years end on February 28 until the next leap year', () => {
  const yearly = { interval: 'year', interval_count: 1 } as const
  const days = [1, 2, 3, 4].map((times) =>
    new Date(addSteps(at('2024-02-29T00:00:00Z'), yearly, times) * 1000).toISOString().slice(0, 10),
  )
  expect(days).toEqual(['2025-02-28', '2026-02-28', '2027-02-28', '2028-02-29'])
})

test('each period starts where the last one ended, for every anchor and interval', () => {
  const intervals = fc.record({
    interval: fc.constantFrom('day', 'week', 'month', 'year'),
    interval_count: fc.integer({ min: 1, max: 12 }),
  })
  const anchors = fc.integer({ min: at('2000-01-01T00:00:00Z'), max: at('2060-01-01T00:00:00Z') })
  fc.assert(
    fc.property(intervals, anchors, (interval, anchor) => {
      let start = anchor
      for (let times = 1; times <= 40; times++) {
        const end = periodEnd(anchor, interval, start)
        expect(end).toBe(addSteps(anchor, interval, times))
        expect(end).toBeGreaterThan(start)
        start = end
      }
    }),
  )
})
