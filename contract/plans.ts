type Plan = {
  /** Its name on the wire, in the database and in a product's file. */
  key: string
  months: number
  /** How often Stripe charges: every 3 months is `month` and 3. */
  interval: 'month' | 'year'
  intervalCount: number
  /** Names of the plan in sentences: "Yearly subscription", "per year", "every year". */
  name: string
  period: string
  /** Further names in files of other shops. */
  alsoCalled: string[]
  /** Days before a renewal on which its buyer is told. */
  renewalNoticeDays: number[]
}

/** Every plan that a product can sell, in the order of its page. A product sells those that its file gives a price. */
export const plans = [
  {
    key: 'monthly',
    months: 1,
    interval: 'month',
    intervalCount: 1,
    name: 'Monthly',
    period: 'month',
    alsoCalled: [],
    renewalNoticeDays: [],
  },
  {
    key: 'quarterly',
    months: 3,
    interval: 'month',
    intervalCount: 3,
    name: 'Quarterly',
    period: 'quarter',
    alsoCalled: [],
    renewalNoticeDays: [7],
  },
  {
    key: 'yearly',
    months: 12,
    interval: 'year',
    intervalCount: 1,
    name: 'Yearly',
    period: 'year',
    alsoCalled: ['annual', 'annually'],
    renewalNoticeDays: [30, 7],
  },
] as const satisfies Plan[]

export type BillingType = (typeof plans)[number]['key']
export const billingTypes = plans.map(({ key }) => key)

/** Amounts in cents, of the plans that are sold. */
export type Prices = Partial<Record<BillingType, number>>

export function planOf(key: BillingType): Plan {
  const found = plans.find((plan) => plan.key === key)
  if (!found) throw new Error(`No plan is called ${key}`)
  return found
}

/** The plan that Stripe's interval belongs to. */
export const planEvery = (interval: string, count: number) =>
  plans.find((plan) => plan.interval === interval && plan.intervalCount === count)

/** A plan by a name that people give it: "yearly", "Year" or "annual". */
export const planCalled = (name: string) =>
  plans.find(({ key, period, alsoCalled }) =>
    [key, period, ...alsoCalled].some((each) => each === name.trim().toLowerCase()),
  )

/** The plans that have a price, shortest first. */
export const soldPlans = <Price>(prices: Partial<Record<BillingType, Price>>) =>
  plans.flatMap((plan) => {
    const price = prices[plan.key]
    return price === undefined ? [] : [{ ...plan, price }]
  })

/** Names of the first API for two of the prices. */
export const wirePrices = ({ monthly, yearly }: Prices) => ({ monthlyPrice: monthly, yearlyPrice: yearly })

/** Moves a date by months as Stripe does: the 31st becomes the 30th in a shorter month. */
export function addMonths(date: Date, months: number): Date {
  const moved = new Date(date)
  moved.setUTCMonth(date.getUTCMonth() + months)
  // Too long for its month, the day has run over into the next one.
  if (moved.getUTCDate() !== date.getUTCDate()) moved.setUTCDate(0)
  return moved
}

const averageMonth = 30.44 * 86_400_000

/** Length of a billing period in whole months, at least one. */
export const monthsBetween = (start: Date, end: Date) =>
  Math.max(1, Math.round((end.getTime() - start.getTime()) / averageMonth))
