import fc from 'fast-check'
import { expect, test } from 'vitest'
import { includedTax } from './objects/tax.ts'

test('net and tax add up to the price, and the tax is right to the cent, at every rate', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 99_999_999 }),
      fc.integer({ min: 0, max: 3000 }).map((hundredths) => hundredths / 100),
      (price, percent) => {
        const tax = includedTax(price, percent)
        const net = price - tax
        expect(Number.isSafeInteger(tax)).toBe(true)
        expect(tax).toBeGreaterThanOrEqual(0)
        // No other whole number of cents is closer to `percent` of the net amount.
        const [exactPrice, hundredths] = [BigInt(price), BigInt(Math.round(percent * 100))]
        const deviation = (cents: bigint) => {
          const difference = cents * (10_000n + hundredths) - exactPrice * hundredths
          return difference < 0n ? -difference : difference
        }
        expect(deviation(BigInt(tax)) <= deviation(BigInt(tax + 1))).toBe(true)
        expect(deviation(BigInt(tax)) <= deviation(BigInt(tax - 1))).toBe(true)
        expect(net + tax).toBe(price)
      },
    ),
    { numRuns: 2000 },
  )
})
