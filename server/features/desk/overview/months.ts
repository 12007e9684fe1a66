import type { OverviewMonth } from '#contract/desk/overview.ts'
import type { BillingType } from '#contract/statuses.ts'

/** A month's changes to subscriptions of one billing type; amounts in cents per billing period. */
export type Movement = {
  month: string
  billingType: BillingType
  begun: number
  begunAmount: number
  ended: number
  endedAmount: number
}

/** The last twelve months, computed from every movement ever. */
export function monthsOf(movements: Movement[], now: Date): OverviewMonth[] {
  return lastTwelve(now).map((month) => {
    const upTo = movements.filter((movement) => movement.month <= month)
    const within = upTo.filter((movement) => movement.month === month)
    const active = sum(upTo, ({ begun, ended }) => begun - ended)
    const begun = sum(within, (movement) => movement.begun)
    const lost = sum(within, (movement) => movement.ended)
    const before = active - begun + lost
    return {
      month,
      // Rounded once, at the end: a sum of rounded twelfths would drift away from the purchases.
      revenue: Math.round(
        sum(
          upTo,
          ({ begunAmount, endedAmount, billingType }) =>
            (begunAmount - endedAmount) * (billingType === 'monthly' ? 12 : 1),
        ) / 12,
      ),
      active,
      begun,
      lost,
      churn: before > 0 ? Math.round((1000 * lost) / before) / 10 : null,
    }
  })
}

function lastTwelve(now: Date): string[] {
  return Array.from({ length: 12 }, (_, index) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 11 + index)).toISOString().slice(0, 7),
  )
}

const sum = (movements: Movement[], of: (movement: Movement) => number) =>
  movements.reduce((total, movement) => total + of(movement), 0)
