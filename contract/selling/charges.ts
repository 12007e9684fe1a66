import { dayInWords, dayMs } from '../dates.ts'
import { exactDollars } from '../money.ts'

/** Amounts in cents. */
export type Charges = {
  /** Interval, for example "month" in "every month". */
  period: string
  /** Missing if nothing is paid today. */
  today?: number
  next: { amount: number; at: Date }
  /** First charge after the discount has ended; null without a discount that ends. */
  later: { amount: number; at: Date } | null
}

const dayFormat = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** For example "$31.20 today, then $39.00 every month from Feb 15". Days more than 300 days away have their year. */
export function describeCharges({ period, today, next, later }: Charges, now: Date): string {
  const describeCharge = ({ amount, at }: Charges['next']) => {
    const isFar = at.getTime() - now.getTime() > 300 * dayMs
    const day = isFar ? dayInWords(at) : dayFormat.format(at)
    return `${exactDollars(amount)} every ${period} from ${day}`
  }
  const renewals = later ? `${describeCharge(next)}, and ${describeCharge(later)}` : describeCharge(next)
  return today === undefined ? renewals : `${exactDollars(today)} today, then ${renewals}`
}

/** Rounds to the cent as Stripe does, and never falls below zero. */
export function priceAfterDiscount(price: number, discount: { percentOff: number | null; amountOff: number | null }) {
  const amountOff = discount.amountOff ?? Math.round((price * (discount.percentOff ?? 0)) / 100)
  return Math.max(0, price - amountOff)
}

/** For example "20% off for 3 months". `months` is 0 for the first payment only and null without an end. */
export function describeDiscount({
  percentOff,
  amountOff,
  months,
}: {
  percentOff: number | null
  amountOff: number | null
  months: number | null
}) {
  const reduction = percentOff === null ? exactDollars(amountOff ?? 0) : `${percentOff}%`
  if (months === null) return `${reduction} off, always`
  if (months === 0) return `${reduction} off the first payment`
  return `${reduction} off for ${months === 1 ? '1 month' : `${months} months`}`
}
