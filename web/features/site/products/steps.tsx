import type { ReactNode } from 'react'
import type { ListedProduct, ProductText } from '#contract/selling/product.ts'

type Props = { items: ProductText['steps']['items']; drawings: ListedProduct['drawings'] }

/** The steps; in the drawings, one price line continues from picture to picture. */
export function Steps({ items, drawings }: Props) {
  const pictures = drawings ? [<Pullback key="1" />, <Entry key="2" />, <Exit key="3" />] : []
  return (
    <ol className="grid gap-6 lg:grid-cols-3">
      {items.map(({ title, text }, index) => (
        <li
          key={title}
          className="grid content-start gap-x-8 gap-y-7 rounded-lg border border-line bg-ground p-6 sm:p-7 sm:max-lg:grid-cols-[2fr_3fr]"
        >
          {pictures[index]}
          <div className="flex flex-col gap-3">
            <span className="font-mono text-xs font-medium tracking-wide text-accent uppercase">Step {index + 1}</span>
            <h3 className="text-xl">{title}</h3>
            <p className="text-muted">{text}</p>
          </div>
        </li>
      ))}
    </ol>
  )
}

const past = 'M4 40C22 20 40 22 56 34s26 14 40 6'
const fall = 'M96 40C116 30 124 66 138 98'
const turn = 'M138 98c6 14 16 12 24-6'
const rebound = 'M162 92c16-36 24-50 46-52'

function Picture({ children }: { children: ReactNode }) {
  return (
    <svg viewBox="0 0 300 130" fill="none" aria-hidden="true" className="w-full" strokeWidth="3" strokeLinecap="round">
      <path d="M0 96H300V130H0z" className="fill-accent/10" />
      <path d="M0 96H300" className="stroke-accent/60" strokeWidth="1.5" strokeDasharray="5 6" />
      <path d="M0 44H300" className="stroke-line" strokeWidth="1.5" />
      {children}
    </svg>
  )
}

function Pullback() {
  return (
    <Picture>
      <path d={past} className="stroke-muted/60" />
      <path d={fall} className="stroke-accent" />
      <path d="M150 46v44m-5-6 5 6 5-6" className="stroke-muted" strokeWidth="1.5" />
    </Picture>
  )
}

function Entry() {
  return (
    <Picture>
      <path d={past + fall} className="stroke-muted/60" />
      <path d={turn} className="stroke-accent" />
      <circle cx="162" cy="92" r="14" className="fill-accent/20" />
      <circle cx="162" cy="92" r="6" className="fill-accent" />
      <text x="184" y="97" className="fill-ink text-[13px] font-semibold">
        Entry
      </text>
    </Picture>
  )
}

function Exit() {
  return (
    <Picture>
      <path d={past + fall + turn} className="stroke-muted/60" />
      <path d={rebound} className="stroke-accent" />
      <circle cx="162" cy="92" r="5" className="fill-ground stroke-accent" />
      <circle cx="208" cy="40" r="6" className="fill-ink" />
      <text x="220" y="34" className="fill-ink text-[13px] font-semibold">
        Exit
      </text>
      <path d="M162 114H208m-40-4-6 4 6 4m34-8 6 4-6 4" className="stroke-muted" strokeWidth="1.5" />
      <text x="216" y="118" className="fill-muted font-mono text-[11px]">
        2–5 days
      </text>
    </Picture>
  )
}
