import { type PointerEvent, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { Button } from '#web/ui/button.tsx'
import { SampleChart } from '#web/ui/sample-chart.tsx'
import { bars, signals } from '#web/ui/sample-data.ts'

const firstDay = 14
const lastDay = bars.length - 1
const swipePixels = 30
const ruleTrades = signals.filter(({ kind }) => kind === 'entry').length

const times = (count: number) => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`)

/** Replays day by day while the visitor marks entries. It never mentions profits, because the prices are invented. */
export default function Replay({ className, onClose }: { className: string; onClose: () => void }) {
  const [day, setDay] = useState(firstDay)
  const [trades, setTrades] = useState<number[]>([])
  const view = useMemo(() => ({ from: 0, to: lastDay, last: day }), [day])
  const next = useRef<HTMLButtonElement>(null)
  const pressedAt = useRef(0)
  useEffect(() => next.current?.focus({ preventScroll: true }), [])

  const isOver = day === lastDay
  const goOn = (days = 1) => setDay((shown) => Math.min(lastDay, shown + days))
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (document.activeElement?.matches('input, textarea, select')) return
    if (event.key === 'ArrowRight') goOn()
    if (event.key === 'Escape') onClose()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
  const signal = signals.find(({ bar }) => bar === day)
  const caption = isOver
    ? `120 days. The rules traded ${times(ruleTrades)}, and one trade ended at a loss. You would have traded ${trades.length === 0 ? 'never' : times(trades.length)}.`
    : `Day ${day + 1}. ${signal ? (signal.kind === 'entry' ? 'Entry.' : 'Exit.') : 'Nothing today. That’s normal.'}`
  return (
    <figure aria-label="Replay" className="flex flex-col gap-3">
      <div
        className="touch-pan-y"
        onPointerDown={(event: PointerEvent) => {
          pressedAt.current = event.clientX
        }}
        onPointerUp={(event: PointerEvent) => {
          if (pressedAt.current - event.clientX > swipePixels) goOn()
        }}
      >
        <SampleChart view={view} hasAxis className={className} />
      </div>
      <div className="mx-auto flex min-h-11 w-full max-w-6xl flex-wrap items-center justify-between gap-x-6 gap-y-2 px-5 sm:px-8">
        <figcaption className="min-w-0 text-sm">
          <span className="mr-2 font-mono">Simulated.</span>
          <span role="status">{caption}</span>
        </figcaption>
        <span className="flex flex-wrap items-center gap-2">
          {isOver ? (
            <Button
              variant="secondary"
              size="sm"
              onClick={() => {
                setDay(firstDay)
                setTrades([])
              }}
            >
              Again
            </Button>
          ) : (
            <>
              <Button ref={next} variant="secondary" size="sm" onClick={() => goOn()}>
                Next day <span aria-hidden="true">→</span>
              </Button>
              <Button
                variant="secondary"
                size="sm"
                disabled={trades.includes(day)}
                onClick={() => setTrades([...trades, day])}
              >
                I’d buy here{trades.length > 0 && ` (${trades.length})`}
              </Button>
              <Button variant="ghost" size="sm" onClick={() => goOn(lastDay)}>
                To the end
              </Button>
            </>
          )}
          <Button variant="ghost" size="sm" onClick={onClose}>
            Close
          </Button>
        </span>
      </div>
    </figure>
  )
}
