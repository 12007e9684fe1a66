import { empty, newId } from '../basics.ts'

const noCouponExtras = empty('max_redemptions redeem_by')
const noDiscountExtras = empty(
  'checkout_session customer_account invoice invoice_item promotion_code subscription_item',
)

/** A share of the price, or a fixed amount; for some months, or for good. */
export type Off = { percent: number; months?: number } | { amount: number; months?: number }

export const newCoupon = (now: number, off: Off, currency: string) => ({
  id: newId('coupon'),
  object: 'coupon' as const,
  ...noCouponExtras,
  amount_off: 'amount' in off ? off.amount : null,
  created: now,
  currency: 'amount' in off ? currency : null,
  duration: off.months === undefined ? ('forever' as const) : ('repeating' as const),
  duration_in_months: off.months ?? null,
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
  end: number | null
}

export const newDiscount = ({ now, coupon, customer, subscription, end }: Given) => ({
  id: newId('di'),
  object: 'discount' as const,
  ...noDiscountExtras,
  customer,
  end,
  source: { coupon: coupon.id, type: 'coupon' as const },
  start: now,
  subscription,
})

export type Discount = ReturnType<typeof newDiscount>

/** What a coupon takes off an amount, to the cent. */
export const offOf = ({ percent_off: percent, amount_off: off }: Coupon, amount: number) =>
  Math.min(amount, off ?? Math.round((amount * (percent ?? 0)) / 100))
