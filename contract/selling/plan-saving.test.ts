import { expect, test } from 'vitest'
import { dollars, exactDollars } from '../money.ts'
import { planSaving } from './plan-saving.ts'

test.each([
  [3900, 39_000, '2 months free', '$78'],
  [3900, 42_900, '1 month free', '$39'],
  [4950, 39_000, false, '$204'],
  [4950, 49_500, '2 months free', '$99'],
  [1999, 19_999, false, '$39.89'],
])('%i a month and %i a year: %s, save %s', (monthly, yearly, free, saved) => {
  expect(planSaving({ amount: monthly, months: 1 }, { amount: yearly, months: 12 })).toEqual({ free, saved })
})

test('a yearly plan that costs at least twelve months saves nothing', () => {
  expect(planSaving({ amount: 3900, months: 1 }, { amount: 46_800, months: 12 })).toBeNull()
  expect(planSaving({ amount: 3900, months: 1 }, { amount: 50_000, months: 12 })).toBeNull()
})

test('a quarterly plan is compared with three months', () => {
  const saving = planSaving({ amount: 3900, months: 1 }, { amount: 9900, months: 3 })
  expect(saving).toEqual({ free: false, saved: '$18' })
})

test('an advertised price has two decimals or none', () => {
  expect([dollars(4950), dollars(3900), exactDollars(3900)]).toEqual(['$49.50', '$39', '$39.00'])
})
