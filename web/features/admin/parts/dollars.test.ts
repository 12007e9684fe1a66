import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exactDollars } from '#contract/money.ts'
import { centsOf, dollarAmount } from './dollars.ts'

test('every amount shown can be typed back and gives the same cents', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 99_999_999 }), (cents) => {
      const dollars = Math.floor(cents / 100)
      const fraction = String(cents % 100).padStart(2, '0')
      expect(centsOf(`${dollars}.${fraction}`)).toBe(cents)
      expect(centsOf(exactDollars(cents))).toBe(cents)
    }),
  )
})

test.for([
  ['39.99', 3999],
  ['39', 3900],
  ['39.9', 3990],
  [' $1,234.56 ', 123_456],
  ['.5', 50],
  ['10,50', 1050],
  ['10,5', 1050],
  ['1,050', 105_000],
  ['0', 0],
] as const)('%s is %i cents', ([typed, cents]) => {
  expect(centsOf(typed)).toBe(cents)
})

test.for(['', ' ', '.', '-1', 'abc', '1e9', '39.999', '0x10', 'NaN', '٣٩'])('%j is not an amount', (typed) => {
  expect(centsOf(typed)).toBeUndefined()
  expect(dollarAmount.safeParse(typed).success).toBe(false)
})

test('an amount above Stripe’s limit is refused', () => {
  expect(dollarAmount.safeParse('999999.99').success).toBe(true)
  expect(dollarAmount.safeParse('1000000').success).toBe(false)
})
