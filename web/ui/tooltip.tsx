import { type PointerEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'

const openDelay = 700
/** Whoever moves on to the next control within this time need not wait again. */
const skipDelay = 300

let lastClosed = Number.NEGATIVE_INFINITY

/** A hint for a control, which has a name of its own: sighted visitors see it, screen readers hear it as description. */
export function Tooltip({ text, children }: { text: string; children: ReactNode }) {
  const [open, setOpen] = useState(false)
  const id = useId()
  const anchor = useRef<HTMLSpanElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  function waitAndOpen(event: PointerEvent) {
    if (event.pointerType === 'touch') return
    const delay = performance.now() - lastClosed < skipDelay ? 0 : openDelay
    timer.current = setTimeout(() => setOpen(true), delay)
  }

  function close() {
    clearTimeout(timer.current)
    if (open) lastClosed = performance.now()
    setOpen(false)
  }

  // With the same frame that shows it: a key that is pressed at once must count.
  useLayoutEffect(() => {
    if (!open) return undefined
    const closeOnEscape = (event: KeyboardEvent) => event.key === 'Escape' && setOpen(false)
    const closeOnScroll = () => setOpen(false)
    document.addEventListener('keydown', closeOnEscape)
    document.addEventListener('scroll', closeOnScroll, true)
    return () => {
      document.removeEventListener('keydown', closeOnEscape)
      document.removeEventListener('scroll', closeOnScroll, true)
    }
  }, [open])
  useEffect(() => () => clearTimeout(timer.current), [])

  return (
    <span
      ref={anchor}
      className="inline-flex"
      onPointerEnter={waitAndOpen}
      onPointerLeave={close}
      onPointerDown={close}
      onFocus={(event) => event.target.matches(':focus-visible') && setOpen(true)}
      onBlur={close}
    >
      {children}
      {open && (
        <span
          ref={(tip) => {
            if (tip && anchor.current) showAt(anchor.current, tip)
          }}
          id={id}
          role="tooltip"
          // Above everything, whatever scrolls or clips around the control.
          popover="manual"
          // Its invisible edge bridges the gap to the control, so that the pointer can go to it.
          className="fixed inset-auto m-0 animate-fade overflow-visible before:absolute before:-inset-2 rounded-sm bg-ink px-2.5 py-1.5 text-xs font-medium text-ground shadow-float"
        >
          {text}
        </span>
      )}
    </span>
  )
}

/** Below the control, or above it where the screen ends. */
function showAt(anchor: HTMLElement, tip: HTMLElement) {
  const control = anchor.firstElementChild
  // What is its name already need not be heard twice.
  if (control?.getAttribute('aria-label') !== tip.textContent)
    control?.setAttribute('aria-describedby', tip.id)
  tip.showPopover()
  const gap = 6
  const { left, width, top, bottom } = anchor.getBoundingClientRect()
  const right = innerWidth - tip.offsetWidth - gap
  tip.style.left = `${Math.max(gap, Math.min(right, left + (width - tip.offsetWidth) / 2))}px`
  tip.style.top = `${bottom + gap + tip.offsetHeight < innerHeight ? bottom + gap : top - gap - tip.offsetHeight}px`
}
