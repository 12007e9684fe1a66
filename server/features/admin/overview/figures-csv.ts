import { type FigureName, figureDefinitions } from '#contract/admin/figure-definitions.ts'
import type { AdminFigures } from '#contract/admin/figures.ts'
import type { OverviewMonth } from '#contract/admin/overview.ts'
import { movementKinds } from '#contract/statuses.ts'
import { csvOf } from '#server/csv.ts'

type CashMonth = AdminFigures['cash'][number]
type Figures = Partial<Record<FigureName, string>>

const dollars = (cents: number) => (cents / 100).toFixed(2)
/** `arr` is in cents per year. */
const perMonth = (arr: number) => dollars(Math.round(arr / 12))

function figuresOf({ movements, ...month }: OverviewMonth, cash: CashMonth): Figures {
  return {
    mrr: perMonth(month.arr),
    net: perMonth(movementKinds.reduce((sum, kind) => sum + movements[kind].arr, 0)),
    paying: String(month.paying),
    churn: month.churn === null ? '' : String(month.churn),
    new: perMonth(movements.new.arr),
    reactivation: perMonth(movements.reactivation.arr),
    expansion: perMonth(movements.expansion.arr),
    contraction: perMonth(movements.contraction.arr),
    lost: perMonth(movements.churn.arr),
    cashPaid: dollars(cash.paid),
    cashTax: dollars(cash.tax),
    cashRefunded: dollars(cash.refunded),
    cashLost: dollars(cash.lost),
    cashLeft: dollars(cash.paid - cash.refunded - cash.lost),
  }
}

function unitOf(name: FigureName) {
  if (name === 'paying') return ''
  return name === 'churn' ? ' (%)' : ' (USD)'
}

export function csvOfMonths(months: OverviewMonth[], cash: CashMonth[]): string {
  const rows = months.toReversed().map((month) => {
    const noCash = { month: month.month, paid: 0, tax: 0, refunded: 0, lost: 0 }
    const cashOfMonth = cash.find((cashMonth) => cashMonth.month === month.month) ?? noCash
    return { month: month.month, ...figuresOf(month, cashOfMonth) }
  })
  // Leaves out figures that have no value for each month.
  const names = (Object.keys(figureDefinitions) as FigureName[]).filter((name) => rows.some((row) => name in row))
  const titles = names.map((name) => `${figureDefinitions[name].title}${unitOf(name)}`)
  return csvOf([['Month', ...titles], ...rows.map((row) => [row.month, ...names.map((name) => row[name] ?? '')])])
}
