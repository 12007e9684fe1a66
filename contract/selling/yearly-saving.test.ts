import { expect, test } from 'vitest'
import { dollars, exactDollars } from '../money.ts'
import { yearlySaving } from './yearly-saving.ts'

test.each([
  [3900, 39_000, '2 months free', '$78'],
  [3900, 42_900, '1 month free', '$39'],
  [4950, 39_000, false, '$204'],
  [4950, 49_500, '2 months free', '$99'],
  [1999, 19_999, false, '$39.89'],
])('%i a month and %i a year: %s, save %s', (monthly, yearly, free, saved) => {
  expect(yearlySaving({ monthly, yearly })).toEqual({ free, saved })
})

test('a year that costs as much as twelve months, or more, saves nothing', () => {
  expect(yearlySaving({ monthly: 3900, yearly: 46_800 })).toBeNull()
  expect(yearlySaving({ monthly: 3900, yearly: 50_000 })).toBeNull()
})

test('a price has two decimals or none', () => {
  expect([dollars(4950), dollars(3900), exactDollars(3900)]).toEqual(['$49.50', '$39', '$39.00'])
})
