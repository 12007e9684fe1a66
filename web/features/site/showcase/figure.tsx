import { lazy, Suspense, useState } from 'react'
import { chartDescription, SampleChart } from '#web/features/selling/sample-chart/sample-chart.tsx'
import { Button } from '#web/ui/button.tsx'

const Replay = lazy(() => import('./replay.tsx'))

export function Figure({ number, className }: { number: number; className: string }) {
  return (
    <figure className="flex flex-col gap-3">
      <SampleChart description={chartDescription} hasAxis className={className} />
      <Caption number={number} />
    </figure>
  )
}

export function ReplayFigure({ className }: { className: string }) {
  const [replay, setReplay] = useState<'unopened' | 'open' | 'closed'>('unopened')
  const chart = <SampleChart description={chartDescription} hasAxis arrives className={className} />
  if (replay === 'open')
    return (
      <Suspense fallback={chart}>
        <Replay className={className} onClose={() => setReplay('closed')} />
      </Suspense>
    )
  return (
    <figure className="flex flex-col gap-3">
      {chart}
      <div className="mx-auto flex min-h-11 w-full max-w-6xl flex-wrap items-center justify-between gap-x-6 gap-y-2 px-5 sm:px-8">
        <Caption number={1} />
        <span className="flex items-center gap-4 text-sm text-muted noscript:hidden">
          <span className="max-sm:hidden">120 days. The rules speak three times; one ends at a loss.</span>
          <Button
            ref={replay === 'closed' ? focus : undefined}
            variant="secondary"
            size="sm"
            onClick={() => setReplay('open')}
          >
            Replay
          </Button>
        </span>
      </div>
    </figure>
  )
}

/** Replaces the button that had the focus in the replay. */
const focus = (button: HTMLElement | null) => button?.focus({ preventScroll: true })

function Caption({ number }: { number: number }) {
  return (
    <figcaption className="text-sm text-muted">
      <span className="mr-2 font-mono text-ink">Fig. {number}</span>
      Simulated, daily. Three signals, one loss.
    </figcaption>
  )
}
