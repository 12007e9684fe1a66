import { type PointerEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'

const openDelayMs = 700
/** Moving to the next control within this time opens its hint without delay. */
const skipDelayMs = 300

let lastClosedAt = Number.NEGATIVE_INFINITY

/** Hint for a control that already has a name: visible on hover, announced as its description. */
export function Tooltip({ text, children }: { text: string; children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const anchor = useRef<HTMLSpanElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  function waitAndOpen(event: PointerEvent) {
    if (event.pointerType === 'touch') return
    const delay = performance.now() - lastClosedAt < skipDelayMs ? 0 : openDelayMs
    timer.current = setTimeout(() => setIsOpen(true), delay)
  }

  function close() {
    clearTimeout(timer.current)
    if (isOpen) lastClosedAt = performance.now()
    setIsOpen(false)
  }

  // A layout effect, so that a key pressed right after the hint appears is not missed.
  useLayoutEffect(() => {
    if (!isOpen) return undefined
    const closeOnEscape = (event: KeyboardEvent) => event.key === 'Escape' && setIsOpen(false)
    const closeOnScroll = () => setIsOpen(false)
    document.addEventListener('keydown', closeOnEscape)
    document.addEventListener('scroll', closeOnScroll, true)
    return () => {
      document.removeEventListener('keydown', closeOnEscape)
      document.removeEventListener('scroll', closeOnScroll, true)
    }
  }, [isOpen])
  useEffect(() => () => clearTimeout(timer.current), [])

  return (
    <span
      ref={anchor}
      className="inline-flex"
      onPointerEnter={waitAndOpen}
      onPointerLeave={close}
      onPointerDown={close}
      onFocus={(event) => event.target.matches(':focus-visible') && setIsOpen(true)}
      onBlur={close}
    >
      {children}
      {isOpen && (
        <span
          ref={(tip) => {
            if (tip && anchor.current) showTooltip(anchor.current, tip)
          }}
          id={id}
          role="tooltip"
          // A popover lies above everything, even if an ancestor scrolls or clips.
          popover="manual"
          // The invisible `before:` edge bridges the gap, so the pointer can move from the control to the hint.
          className="fixed inset-auto m-0 animate-fade overflow-visible before:absolute before:-inset-2 rounded-sm bg-ink px-2.5 py-1.5 text-xs font-medium text-ground shadow-float"
        >
          {text}
        </span>
      )}
    </span>
  )
}

function showTooltip(anchor: HTMLElement, tip: HTMLElement) {
  const control = anchor.firstElementChild
  // A hint that repeats the control's name is not announced twice.
  if (control?.getAttribute('aria-label') !== tip.textContent) control?.setAttribute('aria-describedby', tip.id)
  tip.showPopover()
  const gap = 6
  const { left, width, top, bottom } = anchor.getBoundingClientRect()
  const maxLeft = innerWidth - tip.offsetWidth - gap
  tip.style.left = `${Math.max(gap, Math.min(maxLeft, left + (width - tip.offsetWidth) / 2))}px`
  const fitsBelow = bottom + gap + tip.offsetHeight < innerHeight
  tip.style.top = `${fitsBelow ? bottom + gap : top - gap - tip.offsetHeight}px`
}
