import type { ListedProduct, ProductText } from '#contract/selling/product.ts'
import { SampleChart } from '#web/features/selling/sample-chart/sample-chart.tsx'

type Props = { items: ProductText['steps']['items']; drawings: ListedProduct['drawings'] }

/** Days of the sample chart that all three steps show. */
const shownDays = { from: 10, to: 30 }
/** The steps end with the fall, the entry and the exit. */
const views = [
  { ...shownDays, last: 21 },
  { ...shownDays, last: 22 },
  { ...shownDays, last: 26 },
]

export function Steps({ items, drawings }: Props) {
  return (
    <ol className="grid gap-x-10 gap-y-12 lg:grid-cols-3">
      {items.map(({ title, text }, index) => {
        const view = views[index]
        return (
          <li key={title} className="flex flex-col gap-5">
            {drawings && view && <SampleChart view={view} className="h-56 w-full border-b border-line" />}
            <div className="flex flex-col gap-2">
              <span className="font-mono text-sm text-muted">Step {index + 1}</span>
              <h3 className="text-xl">{title}</h3>
              <p className="text-muted">{text}</p>
            </div>
          </li>
        )
      })}
    </ol>
  )
}
