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
        // Exactly, in whole numbers: no other tax is closer to `percent` of the net.
        const [p, share] = [BigInt(price), BigInt(Math.round(percent * 100))]
        const off = (given: bigint) => {
          const difference = given * (10_000n + share) - p * share
          return difference < 0n ? -difference : difference
        }
        expect(off(BigInt(tax)) <= off(BigInt(tax + 1)) && off(BigInt(tax)) <= off(BigInt(tax - 1))).toBe(true)
        expect(net + tax).toBe(price)
      },
    ),
    { numRuns: 2000 },
  )
})
