import { addSteps, empty, newId } from '../basics.ts'

const noCouponExtras = empty('max_redemptions redeem_by')
const noDiscountExtras = empty(
  'checkout_session customer_account invoice invoice_item promotion_code subscription_item',
)

/** A share of the price, or a fixed amount; for some months (none: for one invoice), or for good. */
export type Off = { percent: number; months?: number } | { amount: number; months?: number }

const durationOf = ({ months }: Off) =>
  months === undefined ? ('forever' as const) : months === 0 ? ('once' as const) : ('repeating' as const)

export const newCoupon = (now: number, off: Off, currency: string, id = newId('coupon')) => ({
  id,
  object: 'coupon' as const,
  ...noCouponExtras,
  amount_off: 'amount' in off ? off.amount : null,
  created: now,
  currency: 'amount' in off ? currency : null,
  duration: durationOf(off),
  duration_in_months: off.months || null,
  livemode: false,
  metadata: {} as Record<string, string>,
  name: null as string | null,
  percent_off: 'percent' in off ? off.percent : null,
  times_redeemed: 1,
  valid: true,
})

export type Coupon = ReturnType<typeof newCoupon>

type Given = {
  now: number
  coupon: Coupon
  customer: string
  /** Null if it is the customer's. */
  subscription: string | null
}

export const newDiscount = ({ now, coupon, customer, subscription }: Given) => ({
  id: newId('di'),
  object: 'discount' as const,
  ...noDiscountExtras,
  customer,
  end: coupon.duration_in_months
    ? addSteps(now, { interval: 'month', interval_count: 1 }, coupon.duration_in_months)
    : null,
  source: { coupon: coupon.id, type: 'coupon' as const },
  start: now,
  subscription,
})

export type Discount = ReturnType<typeof newDiscount>

/** What a coupon takes off an amount, to the cent. */
export const offOf = ({ percent_off: percent, amount_off: off }: Coupon, amount: number) =>
  Math.min(amount, off ?? Math.round((amount * (percent ?? 0)) / 100))
