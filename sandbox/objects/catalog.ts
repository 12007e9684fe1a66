import { addSteps, type Step } from '../basics.ts'
import { blank, blankPart } from './blank.ts'

export const newProduct = (now: number, name: string, id?: string) => ({
  ...blank('product', 'prod', id),
  active: true,
  created: now,
  name,
  updated: now,
})

export type Product = ReturnType<typeof newProduct>

export type TaxBehavior = 'exclusive' | 'inclusive' | 'unspecified'

type GivenPrice = { now: number; product: string; currency: string; amount: number; recurring: Step | null }

export const newPrice = ({ now, product, currency, amount, recurring }: GivenPrice) => ({
  ...blank('price', 'price'),
  active: true,
  created: now,
  currency,
  product,
  recurring: recurring && { ...blankPart('price.recurring'), ...recurring },
  tax_behavior: 'unspecified' as TaxBehavior,
  type: recurring ? ('recurring' as const) : ('one_time' as const),
  unit_amount: amount,
  unit_amount_decimal: String(amount),
})

export type Price = ReturnType<typeof newPrice>

/** The older name of a recurring price, which subscription items still carry. */
export const planOf = (price: Price) => ({
  ...blank('plan', 'plan', price.id),
  active: price.active,
  amount: price.unit_amount,
  amount_decimal: price.unit_amount_decimal,
  created: price.created,
  currency: price.currency,
  interval: price.recurring?.interval ?? ('month' as const),
  interval_count: price.recurring?.interval_count ?? 1,
  metadata: price.metadata,
  nickname: price.nickname,
  product: price.product,
})

/** Discount in percent or cents; `months` 0 is one invoice, undefined is forever. */
export type DiscountTerms = { percent: number; months?: number } | { amount: number; months?: number }

const durationOf = ({ months }: DiscountTerms) =>
  months === undefined ? ('forever' as const) : months === 0 ? ('once' as const) : ('repeating' as const)

export const newCoupon = (now: number, off: DiscountTerms, currency: string, id?: string) => ({
  ...blank('coupon', 'coupon', id),
  amount_off: 'amount' in off ? off.amount : null,
  created: now,
  currency: 'amount' in off ? currency : null,
  duration: durationOf(off),
  duration_in_months: off.months || null,
  percent_off: 'percent' in off ? off.percent : null,
})

export type Coupon = ReturnType<typeof newCoupon>

/** Discounts without a subscription apply to the whole customer. */
type DiscountOwner = { customer: string; subscription: string | null }

export const newDiscount = (now: number, coupon: Coupon, whose: DiscountOwner) => ({
  ...blank('discount', 'di'),
  ...whose,
  end: coupon.duration_in_months
    ? addSteps(now, { interval: 'month', interval_count: 1 }, coupon.duration_in_months)
    : null,
  source: { coupon: coupon.id, type: 'coupon' as const },
  start: now,
})

export type Discount = ReturnType<typeof newDiscount>

export const discountAmount = ({ percent_off: percent, amount_off: off }: Coupon, amount: number) =>
  Math.min(amount, off ?? Math.round((amount * (percent ?? 0)) / 100))
