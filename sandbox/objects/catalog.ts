import { addSteps, empty, type Interval, newId } from '../basics.ts'

const noProductExtras = empty('package_dimensions shippable statement_descriptor tax_details unit_label')
const noPlanExtras = empty('meter tiers_mode transform_usage trial_period_days')

export const newProduct = ({ now, name, id }: { now: number; name: string; id?: string | undefined }) => ({
  id: id ?? newId('prod'),
  object: 'product' as const,
  ...noProductExtras,
  active: true,
  created: now,
  default_price: null as string | null,
  description: null as string | null,
  images: [] as string[],
  livemode: false,
  marketing_features: [],
  metadata: {} as Record<string, string>,
  name,
  tax_code: null as string | null,
  type: 'service' as const,
  updated: now,
  url: null as string | null,
})

export type Product = ReturnType<typeof newProduct>

export type TaxBehavior = 'inclusive' | 'unspecified'

type GivenPrice = {
  now: number
  product: string
  currency: string
  unitAmount: number
  recurring: { interval: Interval; interval_count: number } | null
}

export const newPrice = ({ now, product, currency, unitAmount, recurring }: GivenPrice) => ({
  id: newId('price'),
  object: 'price' as const,
  active: true,
  billing_scheme: 'per_unit' as const,
  created: now,
  currency,
  custom_unit_amount: null,
  livemode: false,
  lookup_key: null as string | null,
  metadata: {} as Record<string, string>,
  nickname: null as string | null,
  product,
  recurring: recurring && {
    ...recurring,
    meter: null,
    trial_period_days: null,
    usage_type: 'licensed' as const,
  },
  tax_behavior: 'unspecified' as TaxBehavior,
  tiers_mode: null,
  transform_quantity: null,
  type: recurring ? ('recurring' as const) : ('one_time' as const),
  unit_amount: unitAmount,
  unit_amount_decimal: String(unitAmount),
})

export type Price = ReturnType<typeof newPrice>

/** The older name of a recurring price, which subscription items still carry. */
export const planOf = (price: Price) => ({
  id: price.id,
  object: 'plan' as const,
  ...noPlanExtras,
  active: price.active,
  amount: price.unit_amount,
  amount_decimal: price.unit_amount_decimal,
  billing_scheme: price.billing_scheme,
  created: price.created,
  currency: price.currency,
  interval: price.recurring?.interval ?? ('month' as const),
  interval_count: price.recurring?.interval_count ?? 1,
  livemode: false,
  metadata: price.metadata,
  nickname: price.nickname,
  product: price.product,
  usage_type: 'licensed' as const,
})

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
