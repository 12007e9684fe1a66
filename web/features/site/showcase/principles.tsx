import type { ReactNode } from 'react'
import source from '#content/about.md?raw'
import { sectionAt, useContent } from '#web/api/page-texts.ts'

const pictures = [<Evidence key="1" />, <Selectivity key="2" />, <Consistency key="3" />]

export function Principles() {
  const { items } = sectionAt(useContent(source), 0)
  return (
    <ol className="grid gap-x-10 gap-y-12 lg:grid-cols-3">
      {items.map(({ title, text }, index) => (
        <li
          key={title}
          className="grid content-start gap-x-10 gap-y-6 border-t border-ink pt-6 sm:max-lg:grid-cols-[15rem_1fr]"
        >
          <div className="h-28 sm:max-lg:self-center">{pictures[index]}</div>
          <div className="flex flex-col gap-3">
            <h3 className="text-xl">{title}</h3>
            <p className="text-muted">{text}</p>
          </div>
        </li>
      ))}
    </ol>
  )
}

function Picture({ children }: { children: ReactNode }) {
  return (
    <svg viewBox="0 0 240 112" fill="none" aria-hidden="true" className="h-full max-w-full">
      {children}
    </svg>
  )
}

function Evidence() {
  const columnHeights = [8, 16, 30, 50, 74, 94, 100, 88, 66, 44, 26, 14, 7]
  return (
    <Picture>
      {columnHeights.map((height, index) => (
        <rect
          // Columns never change their order.
          key={`${index + 1}`}
          x={index * 18}
          y={108 - height}
          width="12"
          height={height}
          className={index < 2 ? 'fill-ink' : 'fill-line'}
        />
      ))}
      <path d="M33 0v108" className="stroke-muted" strokeDasharray="3 4" />
      <path d="M0 109h232" className="stroke-muted/50" />
    </Picture>
  )
}

function Selectivity() {
  const selectedDots = new Set([17, 36, 58])
  return (
    <Picture>
      {Array.from({ length: 70 }, (_empty, index) => (
        <circle
          key={`${index + 1}`}
          cx={6 + (index % 14) * 17}
          cy={10 + Math.floor(index / 14) * 23}
          r={selectedDots.has(index) ? 6 : 2.5}
          className={selectedDots.has(index) ? 'fill-signal' : 'fill-field/60'}
        />
      ))}
    </Picture>
  )
}

function Consistency() {
  return (
    <Picture>
      {[0, 1, 2].map((row) => (
        <g key={row} transform={`translate(0 ${row * 38})`}>
          <path d="M6 16h60l22-12M66 16l22 12M88 28h60M148 28h72" className="stroke-line" strokeWidth="1.5" />
          <path d="M6 16h60l22 12h132" className="stroke-ink" strokeWidth="1.5" strokeLinejoin="round" />
          <circle cx="6" cy="16" r="5" className="fill-ground stroke-ink" strokeWidth="1.5" />
          <circle cx="66" cy="16" r="3" className="fill-ink" />
          <circle cx="220" cy="28" r="4" className="fill-ink" />
        </g>
      ))}
    </Picture>
  )
}
