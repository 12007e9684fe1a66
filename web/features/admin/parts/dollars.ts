import * as z from 'zod/mini'
import { cents } from '#contract/fields.ts'

/** Reads cents from the digits, because 39.99 * 100 isn't exact. A comma before three digits separates thousands. Undefined if it is no amount. */
export function centsOf(text: string): number | undefined {
  const [, whole, afterPoint, afterComma] =
    /^\$?\s*(\d{1,9}(?:,\d{3})*|\d*)(?:\.(\d{0,2})|,(\d{1,2}))?$/.exec(text.trim()) ?? []
  const fraction = afterPoint ?? afterComma ?? ''
  if (whole === undefined || (whole === '' && fraction === '')) return undefined
  return Number(`${whole.replaceAll(',', '')}${fraction.padEnd(2, '0')}`)
}

export const dollarAmount = z.pipe(
  z.pipe(
    z.string('Please enter an amount'),
    z.transform((text, context) => {
      const amount = centsOf(text)
      if (amount !== undefined) return amount
      context.issues.push({
        code: 'custom',
        input: text,
        message: text.trim().startsWith('-') ? 'The amount cannot be negative' : 'Please enter an amount like 39.99',
      })
      return z.NEVER
    }),
  ),
  cents,
)
