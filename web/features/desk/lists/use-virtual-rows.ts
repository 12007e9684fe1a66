import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'

/** Rows per group: a group is mounted and unmounted as one. */
export const groupSize = 10
/** Estimated height of a group that hasn't been rendered yet. */
const likelyHeight = groupSize * 60
/** How far beyond the viewport rows stay mounted, in px. */
const margin = 600

type Range = { first: number; last: number; focused: number }

/**
 * Which groups of rows are near the viewport, so a list of any length costs as much as a short one:
 * opening a dialog or switching the theme makes the browser restyle every mounted row.
 * A group is a `<tbody data-group="3">`; the one with focus always stays mounted.
 */
export function useVirtualRows(table: RefObject<HTMLTableElement | null>, groups: number) {
  const heights = useRef<number[]>([])
  const [range, setRange] = useState<Range>({ first: 0, last: 1, focused: 0 })
  const heightOf = useCallback((group: number) => heights.current[group] ?? likelyHeight, [])

  useEffect(() => {
    function update() {
      const bodies = [...(table.current?.tBodies ?? [])]
      for (const body of bodies)
        if (body.dataset.group) heights.current[Number(body.dataset.group)] = body.offsetHeight
      let bottom = bodies[0]?.getBoundingClientRect().top ?? 0
      let first = 0
      for (bottom += heightOf(0); bottom < -margin && first < groups - 1; first++)
        bottom += heightOf(first + 1)
      let last = first
      for (; bottom < innerHeight + margin && last < groups - 1; last++) bottom += heightOf(last + 1)
      const focused = Number(document.activeElement?.closest('tbody')?.dataset.group ?? first)
      setRange((known) =>
        known.first === first && known.last === last && known.focused === focused
          ? known
          : { first, last, focused },
      )
    }
    // Content above the table may load after its rows.
    const observer = new ResizeObserver(update)
    observer.observe(document.body)
    addEventListener('scroll', update, { passive: true })
    addEventListener('resize', update)
    return () => {
      observer.disconnect()
      removeEventListener('scroll', update)
      removeEventListener('resize', update)
    }
  }, [table, groups, heightOf])

  return {
    heightOf,
    isNear: (group: number) => (group >= range.first && group <= range.last) || group === range.focused,
  }
}
