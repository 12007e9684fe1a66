import type { ReactNode } from 'react'

/** A frame for charts that always says the data is made up. */
export function ChartPanel(props: { product: string; action?: ReactNode; children: ReactNode }) {
  return (
    <figure className="overflow-hidden rounded-xl border border-line bg-surface shadow-float">
      <figcaption className="flex min-h-12 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-4 py-2 font-mono text-xs text-muted sm:gap-x-4 sm:px-5">
        <span className="font-semibold text-ink">SAMPLE</span>
        <span>1D</span>
        <span className="max-sm:hidden">{props.product}</span>
        <span className="ml-auto flex items-center gap-2 sm:gap-4">
          {props.action}
          <span className="rounded-full border border-line px-2.5 py-0.5">Illustrative</span>
        </span>
      </figcaption>
      {props.children}
    </figure>
  )
}
