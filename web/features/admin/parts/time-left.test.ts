import { expect, test } from 'vitest'
import { timeLeft } from './time-left.tsx'

test.for([
  [30, '30 min left', 'warning'],
  [-30, 'Overdue by 30 min', 'bad'],
  [23 * 60 + 59, '23 h left', 'neutral'],
  [-6 * 60, 'Overdue by 6 h', 'bad'],
  [-72 * 60, 'Overdue by 3 days', 'bad'],
] as const)('a deadline in %i minutes reads "%s"', ([minutes, text, tone]) => {
  const now = Date.now()
  expect(timeLeft(new Date(now + minutes * 60_000).toISOString(), now)).toEqual({ text, tone })
})
