import { type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react'

const openDelay = 700
/** Whoever moves on to the next control within this time need not wait again. */
const skipDelay = 300

let lastClosed = Number.NEGATIVE_INFINITY

/** Shows sighted visitors the name of a control that is only an icon; the control says its name itself. */
export function Tooltip({ text, children }: { text: string; children: ReactNode }) {
  const [open, setOpen] = useState(false)
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

  useEffect(() => {
    if (!open) return undefined
    const closeOnEscape = (event: KeyboardEvent) => event.key === 'Escape' && setOpen(false)
    document.addEventListener('keydown', closeOnEscape)
    return () => document.removeEventListener('keydown', closeOnEscape)
  }, [open])
  useEffect(() => () => clearTimeout(timer.current), [])

  return (
    <span
      className="relative inline-flex"
      onPointerEnter={waitAndOpen}
      onPointerLeave={close}
      onPointerDown={close}
      onFocus={(event) => event.target.matches(':focus-visible') && setOpen(true)}
      onBlur={close}
    >
      {children}
      {open && (
        <span
          role="tooltip"
          className="absolute top-full right-0 z-50 mt-1.5 animate-fade rounded-sm bg-ink px-2.5 py-1.5 text-xs font-medium whitespace-nowrap text-ground shadow-float"
        >
          {text}
        </span>
      )}
    </span>
  )
}
