import type { ReactNode } from 'react'
import { SampleChart } from '#web/features/selling/sample-chart/sample-chart.tsx'

const frameClasses = 'w-full max-w-64 border border-line bg-surface'

export function StepDrawing({ step }: { step: number }) {
  const view = views[step]
  if (view) return <SampleChart view={view} isLine={step === strategyStep} className={`${frameClasses} h-36`} />
  return (
    <svg
      viewBox="0 0 208 128"
      fill="none"
      aria-hidden="true"
      className={frameClasses}
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {drawings[step]}
    </svg>
  )
}

const strategyStep = 2
/** Parts of the sample chart, by step; the numbers are days. */
const views: Partial<Record<number, { from: number; to: number; last?: number }>> = {
  1: { from: 84, to: 98 },
  [strategyStep]: { from: 0, to: 119 },
  4: { from: 90, to: 106 },
}

const label = 'fill-muted font-mono text-[10px]'

const drawings: Partial<Record<number, ReactNode>> = {
  0: (
    <g>
      <text x="20" y="30" className={label}>
        Invite-only scripts
      </text>
      {['Indicator', 'Strategy version'].map((name, row) => (
        <g key={name} transform={`translate(20 ${44 + row * 36})`}>
          <rect width="168" height="28" className={row ? 'stroke-line' : 'stroke-ink'} />
          <text x="12" y="18" className="fill-ink text-[11px] font-semibold">
            {name}
          </text>
        </g>
      ))}
    </g>
  ),
  3: (
    <g>
      {['SPY', 'QQQ', 'AAPL', 'KO'].map((ticker, row) => (
        <g key={ticker} transform={`translate(20 ${24 + row * 27})`}>
          <text y="4" className="fill-ink font-mono text-[12px]">
            {ticker}
          </text>
          <path d="M48 0H168" className="stroke-line" />
          <path d="M156-3l3 3 6-7" className="stroke-ink" />
        </g>
      ))}
    </g>
  ),
  5: (
    <g>
      <path d="M104 26c-15 0-22 11-22 24 0 15-7 20-10 24h64c-3-4-10-9-10-24 0-13-7-24-22-24z" className="stroke-ink" />
      <path d="M97 82a7 7 0 0 0 14 0" className="stroke-ink" />
      <circle cx="124" cy="30" r="6" className="fill-signal" />
      <text x="104" y="112" textAnchor="middle" className={label}>
        once per bar close
      </text>
    </g>
  ),
}
