import { type PointerEvent, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { SampleChart } from '#web/features/selling/sample-chart/sample-chart.tsx'
import { bars, signals } from '#web/features/selling/sample-chart/sample-data.ts'
import { Button } from '#web/ui/button.tsx'

const firstDay = 14
const lastDay = bars.length - 1
const minSwipePixels = 30
const ruleTradeCount = signals.filter(({ kind }) => kind === 'entry').length

function timesText(count: number) {
  if (count === 0) return 'never'
  if (count === 1) return 'once'
  return count === 2 ? 'twice' : `${count} times`
}

/** Shows no profits, because the prices are invented. */
export default function Replay({ className, onClose }: { className: string; onClose: () => void }) {
  const [day, setDay] = useState(firstDay)
  const [markedDays, setMarkedDays] = useState<number[]>([])
  const view = useMemo(() => ({ from: 0, to: lastDay, last: day }), [day])
  const swipeStartX = useRef(0)

  const isOver = day === lastDay
  const advance = (days = 1) => setDay((current) => Math.min(lastDay, current + days))
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (document.activeElement?.matches('input, textarea, select')) return
    if (event.key === 'ArrowRight') advance()
    if (event.key === 'Escape') onClose()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
  const signal = signals.find((candidate) => candidate.day === day)
  const signalText = signal?.kind === 'entry' ? 'Entry.' : 'Exit.'
  const caption = isOver
    ? `120 days. The rules traded ${timesText(ruleTradeCount)}, and one trade ended at a loss. You would have traded ${timesText(markedDays.length)}.`
    : `Day ${day + 1}. ${signal ? signalText : 'Nothing today. That’s normal.'}`
  return (
    <figure aria-label="Replay" className="flex flex-col gap-3">
      <div
        className="touch-pan-y"
        onPointerDown={(event: PointerEvent) => {
          swipeStartX.current = event.clientX
        }}
        onPointerUp={(event: PointerEvent) => {
          if (swipeStartX.current - event.clientX > minSwipePixels) advance()
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
              ref={focus}
              variant="secondary"
              size="sm"
              onClick={() => {
                setDay(firstDay)
                setMarkedDays([])
              }}
            >
              Again
            </Button>
          ) : (
            <>
              <Button ref={focus} variant="secondary" size="sm" onClick={() => advance()}>
                Next day <span aria-hidden="true">→</span>
              </Button>
              <Button
                variant="secondary"
                size="sm"
                disabled={markedDays.includes(day)}
                onClick={() => setMarkedDays([...markedDays, day])}
              >
                I’d buy here{markedDays.length > 0 && ` (${markedDays.length})`}
              </Button>
              <Button variant="ghost" size="sm" onClick={() => advance(lastDay)}>
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

/** For the first button, which takes the place of the focused one at the beginning and at the end. */
const focus = (button: HTMLElement | null) => button?.focus({ preventScroll: true })
