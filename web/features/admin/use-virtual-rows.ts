import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'

/** How many rows come and go together. */
export const groupSize = 10
/** Of a group that has not been on the screen yet. */
const likelyHeight = groupSize * 60
/** How far beyond the screen rows are kept ready, in px. */
const margin = 600

type Range = { first: number; last: number; focused: number }

/**
 * Which groups of a table's rows are near the screen, so that a list of any length costs as much as a short one:
 * whatever opens a dialog or changes the theme makes the browser restyle everything that is there.
 * A group is a `<tbody data-group="3">`; the one with the focus stays wherever it is.
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
    // What stands above the table may come later than its rows.
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
