import { exactDollars } from '../money.ts'

/** Charges of a subscription from now on, in cents. */
export type Charges = {
  /** How often, as in "every month". */
  period: string
  /** Left out where nothing is paid today. */
  today?: number
  next: { amount: number; at: Date }
  /** Once a discount has ended. */
  later: { amount: number; at: Date } | null
}

const near = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const far = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })

/** Sentence about amounts and dates: "$31.20 today, then $39.00 every month from Feb 15"; far days with their year. */
export function describeCharges({ period, today, next, later }: Charges, now: Date): string {
  const from = ({ amount, at }: Charges['next']) => {
    const isFar = at.getTime() - now.getTime() > 300 * 86_400_000
    return `${exactDollars(amount)} every ${period} from ${(isFar ? far : near).format(at)}`
  }
  const steps = [from(next), ...(later ? [from(later)] : [])]
  const then = steps.join(', and ')
  return today === undefined ? then : `${exactDollars(today)} today, then ${then}`
}

/** Price after the discount, rounded to the cent like Stripe. */
export const priceAfterDiscount = (price: number, off: { percentOff: number | null; amountOff: number | null }) =>
  price - Math.min(price, off.amountOff ?? Math.round((price * (off.percentOff ?? 0)) / 100))

/** "20% off for 3 months" */
export function describeDiscount(worth: {
  percentOff: number | null
  amountOff: number | null
  months: number | null
}) {
  const off = `${worth.percentOff === null ? exactDollars(worth.amountOff ?? 0) : `${worth.percentOff}%`} off`
  if (worth.months === null) return `${off}, always`
  return worth.months === 0
    ? `${off} the first payment`
    : `${off} for ${worth.months} month${worth.months === 1 ? '' : 's'}`
}
