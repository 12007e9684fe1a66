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

type PriceInput = { now: number; product: string; currency: string; amount: number; recurring: Step | null }

export const newPrice = ({ now, product, currency, amount, recurring }: PriceInput) => ({
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

/** Older form of a price, which Stripe's subscription items also contain. */
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

function durationOf({ months }: DiscountTerms) {
  if (months === undefined) return 'forever'
  return months === 0 ? 'once' : 'repeating'
}

export const newCoupon = (now: number, terms: DiscountTerms, currency: string, id?: string) => ({
  ...blank('coupon', 'coupon', id),
  amount_off: 'amount' in terms ? terms.amount : null,
  created: now,
  currency: 'amount' in terms ? currency : null,
  duration: durationOf(terms),
  duration_in_months: terms.months || null,
  percent_off: 'percent' in terms ? terms.percent : null,
})

export type Coupon = ReturnType<typeof newCoupon>

/** Without a subscription, the discount applies to all subscriptions of the customer. */
type DiscountOwner = { customer: string; subscription: string | null }

export const newDiscount = (now: number, coupon: Coupon, owner: DiscountOwner) => ({
  ...blank('discount', 'di'),
  ...owner,
  end: coupon.duration_in_months
    ? addSteps(now, { interval: 'month', interval_count: 1 }, coupon.duration_in_months)
    : null,
  source: { coupon: coupon.id, type: 'coupon' as const },
  start: now,
})

export type Discount = ReturnType<typeof newDiscount>

export const discountAmount = ({ percent_off: percent, amount_off: fixedAmount }: Coupon, amount: number) =>
  Math.min(amount, fixedAmount ?? Math.round((amount * (percent ?? 0)) / 100))
