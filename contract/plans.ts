import { dayMs } from './dates.ts'

type Plan = {
  /** The plan's name on the wire, in the database and in a product's file. */
  key: string
  months: number
  /** How often Stripe charges: every 3 months is `month` and 3. */
  interval: 'month' | 'year'
  intervalCount: number
  /** Adjective, for example in "Yearly subscription". */
  name: string
  /** Noun, for example in "per year" and "every year". */
  period: string
  /** Names of the plan in files exported from other shops. */
  otherNames: string[]
  /** Days before a renewal on which an email announces it. */
  renewalNoticeDays: number[]
}

/** All plans, in the order of the product's page. A product sells the plans that its file gives a price. */
export const plans = [
  {
    key: 'monthly',
    months: 1,
    interval: 'month',
    intervalCount: 1,
    name: 'Monthly',
    period: 'month',
    otherNames: [],
    renewalNoticeDays: [],
  },
  {
    key: 'quarterly',
    months: 3,
    interval: 'month',
    intervalCount: 3,
    name: 'Quarterly',
    period: 'quarter',
    otherNames: [],
    renewalNoticeDays: [7],
  },
  {
    key: 'yearly',
    months: 12,
    interval: 'year',
    intervalCount: 1,
    name: 'Yearly',
    period: 'year',
    otherNames: ['annual', 'annually'],
    renewalNoticeDays: [30, 7],
  },
] as const satisfies Plan[]

export type BillingType = (typeof plans)[number]['key']
export const billingTypes = plans.map(({ key }) => key)

/** Prices in cents; plans that are not sold are missing. */
export type Prices = Partial<Record<BillingType, number>>

export function planOf(key: BillingType): Plan {
  const plan = plans.find((each) => each.key === key)
  if (!plan) throw new Error(`No plan is called ${key}`)
  return plan
}

export const planByInterval = (interval: string, count: number) =>
  plans.find((plan) => plan.interval === interval && plan.intervalCount === count)

/** Accepts names from imported files: "yearly", "Year" or "annual". */
export function planByName(typed: string) {
  const name = typed.trim().toLowerCase()
  return plans.find(({ key, period, otherNames }) => [key, period, ...otherNames].some((each) => each === name))
}

export const plansWithPrice = <Price>(prices: Partial<Record<BillingType, Price>>) =>
  plans.flatMap((plan) => {
    const price = prices[plan.key]
    return price === undefined ? [] : [{ ...plan, price }]
  })

/** Prices of the monthly and the yearly plan, under the field names that docs/product.md promises. */
export const wirePrices = ({ monthly, yearly }: Prices) => ({ monthlyPrice: monthly, yearlyPrice: yearly })

/** Adds months as Stripe does: the 31st becomes the last day of a shorter month. */
export function addMonths(date: Date, months: number): Date {
  const moved = new Date(date)
  moved.setUTCMonth(date.getUTCMonth() + months)
  // JavaScript turns February 31 into March 3; day 0 goes back to the last day of February.
  if (moved.getUTCDate() !== date.getUTCDate()) moved.setUTCDate(0)
  return moved
}

const averageMonthMs = 30.44 * dayMs

/** Rounded; at least 1, because shorter periods count as a month. */
export const monthsBetween = (start: Date, end: Date) =>
  Math.max(1, Math.round((end.getTime() - start.getTime()) / averageMonthMs))
