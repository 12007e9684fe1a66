import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shadesOf } from './brand-colors.ts'

/** By the formulas of WCAG, independent of the code under test. */
const luminance = (hex: string) => {
  const linear = (start: number) => {
    const value = Number.parseInt(hex.slice(start, start + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(1) + 0.7152 * linear(3) + 0.0722 * linear(5)
}
const contrast = (text: string, background: string) => {
  const luminances = [luminance(text), luminance(background)]
  return (Math.max(...luminances) + 0.05) / (Math.min(...luminances) + 0.05)
}

test('text on the shades of any brand color has the contrast that WCAG AA requires', () => {
  const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)
  fc.assert(
    fc.property(color, (hex) => {
      const shades = shadesOf(hex)
      expect(contrast('#ffffff', shades.light)).toBeGreaterThanOrEqual(4.5)
      expect(contrast(shades.onDark, shades.dark)).toBeGreaterThanOrEqual(4.5)
      expect(contrast(shades.lightStrong, shades.lightSoft)).toBeGreaterThanOrEqual(4.5)
      expect(contrast(shades.darkStrong, shades.darkSoft)).toBeGreaterThanOrEqual(4.5)
    }),
    { numRuns: 2000 },
  )
})
