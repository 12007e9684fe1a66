import {
  CandlestickSeries,
  createChart,
  createSeriesMarkers,
  LineSeries,
  LineStyle,
  type UTCTimestamp,
} from 'lightweight-charts'
import { useEffect, useRef, useState } from 'react'
import { chartDescription } from '#web/features/site/showcase/example-chart.tsx'
import { bars, signals } from '#web/features/site/showcase/sample-data.ts'
import { themeColors } from '#web/ui/theme-colors.ts'

const daySeconds = 86_400
const timeOf = (bar: number) => (bar * daySeconds) as UTCTimestamp
const dayOf = (time: unknown) => `Day ${Number(time) / daySeconds + 1}`

export default function InteractiveChart({ className }: { className: string }) {
  const box = useRef<HTMLDivElement>(null)
  const [hovered, setHovered] = useState<number | null>(null)

  useEffect(() => {
    const { current: element } = box
    if (!element) return undefined
    const chart = createChart(element, {
      autoSize: true,
      // The library's logo injects a style element, which the CSP forbids; the caption credits it instead.
      layout: { attributionLogo: false },
      timeScale: { tickMarkFormatter: dayOf, fixLeftEdge: true },
      // A finger that moves up or down scrolls the page, not the chart.
      handleScroll: { vertTouchDrag: false },
      localization: { timeFormatter: dayOf },
    })
    // So does the wheel, unless it is meant to zoom: the chart must not trap anyone who is just scrolling past.
    const passBy = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) event.stopPropagation()
    }
    element.addEventListener('wheel', passBy, true)
    const candles = chart.addSeries(CandlestickSeries, { priceLineVisible: false })
    const quietLine = { lineWidth: 1, priceLineVisible: false, lastValueVisible: false } as const
    const mean = chart.addSeries(LineSeries, { ...quietLine, crosshairMarkerVisible: false })
    const lower = chart.addSeries(LineSeries, {
      ...quietLine,
      crosshairMarkerVisible: false,
      lineStyle: LineStyle.Dashed,
    })
    candles.setData(bars.map((bar, index) => ({ time: timeOf(index), ...bar })))
    mean.setData(bars.map((bar, index) => ({ time: timeOf(index), value: bar.mean })))
    lower.setData(bars.map((bar, index) => ({ time: timeOf(index), value: bar.lower })))
    const markers = createSeriesMarkers(candles)

    const { fontFamily } = getComputedStyle(element)
    function paint() {
      const { ink, muted, accent, line } = themeColors()
      chart.applyOptions({
        layout: { background: { color: 'transparent' }, textColor: muted, fontFamily },
        crosshair: { vertLine: { labelBackgroundColor: muted }, horzLine: { labelBackgroundColor: muted } },
        grid: { vertLines: { color: line }, horzLines: { color: line } },
        timeScale: { borderColor: line },
        rightPriceScale: { borderColor: line },
      })
      candles.applyOptions({
        upColor: accent,
        wickUpColor: accent,
        borderUpColor: accent,
        downColor: 'transparent',
        wickDownColor: muted,
        borderDownColor: muted,
      })
      mean.applyOptions({ color: muted })
      lower.applyOptions({ color: accent })
      markers.setMarkers(
        signals.map(({ kind, bar }) => ({
          time: timeOf(bar),
          position: kind === 'entry' ? 'belowBar' : 'aboveBar',
          shape: kind === 'entry' ? 'arrowUp' : 'arrowDown',
          text: kind === 'entry' ? 'Entry' : 'Exit',
          color: kind === 'entry' ? accent : ink,
        })),
      )
    }
    paint()
    chart.timeScale().fitContent()
    chart.subscribeCrosshairMove(({ time }) => setHovered(typeof time === 'number' ? time / daySeconds : null))
    const theme = new MutationObserver(paint)
    theme.observe(document.documentElement, { attributeFilter: ['class'] })
    return () => {
      element.removeEventListener('wheel', passBy, true)
      theme.disconnect()
      chart.remove()
    }
  }, [])

  const bar = hovered === null ? null : bars[hovered]
  return (
    <div>
      <p
        aria-hidden="true"
        className="flex min-h-14 flex-wrap items-center gap-x-4 px-4 py-2 font-mono text-xs text-muted sm:min-h-10"
      >
        {bar
          ? [
              `Day ${(hovered ?? 0) + 1}`,
              ...(['open', 'high', 'low', 'close'] as const).map((name) => `${name} ${bar[name].toFixed(2)}`),
            ].map((part) => <span key={part}>{part}</span>)
          : hint()}
      </p>
      <div ref={box} role="img" aria-label={chartDescription} className={className} />
      <p className="border-t border-line px-4 py-2 text-xs text-muted">
        Charting by{' '}
        <a href="https://www.tradingview.com/" rel="noopener" className="underline underline-offset-2">
          TradingView Lightweight Charts™
        </a>
      </p>
    </div>
  )
}

function hint() {
  if (matchMedia('(pointer: coarse)').matches) return 'Hold for prices, drag to move, pinch to zoom'
  const key = /Mac/.test(navigator.platform) ? '⌘' : 'Ctrl'
  return `Hover for prices, drag to move, ${key} + scroll to zoom`
}
