import type { ReactNode } from 'react'

export function StepDrawing({ step }: { step: number }) {
  return (
    <svg
      viewBox="0 0 208 128"
      fill="none"
      aria-hidden="true"
      className="w-full max-w-64 rounded-md border border-line bg-surface"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {drawings[step]}
    </svg>
  )
}

const label = 'fill-muted font-mono text-[10px]'
const strong = 'fill-ink text-[11px] font-semibold'

/** A price that falls below its usual range and comes back. */
const price = 'M12 52c14-14 26-12 38-2s18 10 28 4 14 22 24 44c6 12 14 8 20-6s18-44 36-48 30-8 38-16'

const band = (
  <>
    <path d="M0 88H208V128H0z" className="fill-accent/10" />
    <path d="M0 88H208" className="stroke-accent/60" strokeWidth="1.5" strokeDasharray="4 5" />
  </>
)

const drawings: ReactNode[] = [
  <g key="tools">
    <rect x="24" y="14" width="160" height="100" rx="8" className="fill-ground stroke-line" />
    <text x="38" y="34" className={label}>
      Invite-only scripts
    </text>
    {['Indicator', 'Strategy version'].map((name, row) => (
      <g key={name} transform={`translate(38 ${46 + row * 32})`}>
        <rect
          width="132"
          height="24"
          rx="5"
          className={row ? 'fill-surface stroke-line' : 'fill-accent/15 stroke-accent'}
        />
        <text x="10" y="16" className={strong}>
          {name}
        </text>
      </g>
    ))}
  </g>,
  <g key="chart">
    {band}
    <rect x="12" y="12" width="30" height="18" rx="5" className="fill-accent" />
    <text x="27" y="25" textAnchor="middle" className="fill-on-accent text-[11px] font-semibold">
      1D
    </text>
    <path d={price} className="stroke-ink" />
  </g>,
  <g key="strategy">
    <path d="M0 70H208" className="stroke-line" />
    <path d="M12 40c20-18 34-10 50 2s24 14 38 2 30-26 50-20 30 4 46-8" className="stroke-muted/60" />
    <text x="12" y="86" className={label}>
      Strategy Tester
    </text>
    <path d="M12 118c18-2 26-8 40-6s22 4 36-4 24-2 38-6 40-12 70-8" className="stroke-accent" />
  </g>,
  <g key="list">
    {['SPY', 'QQQ', 'AAPL', 'KO'].map((ticker, row) => (
      <g key={ticker} transform={`translate(20 ${20 + row * 24})`}>
        <rect y="-8" width="16" height="16" rx="4" className="fill-accent/15 stroke-accent" strokeWidth="1.5" />
        <path d="M4 0l3 3 5-6" className="stroke-accent" />
        <text x="28" y="4" className="fill-ink font-mono text-[12px]">
          {ticker}
        </text>
        <path d="M80 0H168" className="stroke-line" />
      </g>
    ))}
  </g>,
  <g key="signal">
    {band}
    <path d={price} className="stroke-muted/60" />
    <path d="M116 98c8-10 18-44 36-48" className="stroke-accent" strokeWidth="3" />
    <circle cx="116" cy="98" r="5" className="fill-accent" />
    <text x="88" y="118" className={strong}>
      Entry
    </text>
    <circle cx="152" cy="50" r="5" className="fill-ink" />
    <text x="142" y="38" className={strong}>
      Exit
    </text>
  </g>,
  <g key="alert">
    <path
      d="M104 26c-15 0-22 11-22 24 0 15-7 20-10 24h64c-3-4-10-9-10-24 0-13-7-24-22-24z"
      className="fill-accent/15 stroke-accent"
    />
    <path d="M97 82a7 7 0 0 0 14 0" className="stroke-accent" />
    <text x="104" y="112" textAnchor="middle" className={label}>
      once per bar close
    </text>
  </g>,
]
