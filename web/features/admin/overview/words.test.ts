import { expect, test } from 'vitest'
import { formatSameDay } from './words.ts'

test.for([
  ['2026-03-12', '2026-02', 'February 12'],
  ['2026-03-31', '2026-02', 'February 28'],
  ['2024-03-31', '2024-02', 'February 29'],
  ['2026-05-31', '2026-04', 'April 30'],
  ['2026-01-31', '2025-12', 'December 31'],
] as const)('on %s, the figures of %s count up to %s', ([today, lastMonth, text]) => {
  expect(formatSameDay(lastMonth, new Date(`${today}T12:00:00Z`))).toBe(text)
})
