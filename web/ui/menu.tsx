import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { classes } from './classes.ts'

/** A menu button as the ARIA practices describe it: arrows, Home, End, Escape, and a click elsewhere closes it. */
export function Menu(props: { label: ReactNode; className?: string; children: ReactNode }) {
  const [open, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()

  useEffect(() => {
    if (!open) return undefined
    itemsIn(box.current)[0]?.focus()
    const closeOutside = (event: Event) => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) setOpen(false)
    }
    document.addEventListener('pointerdown', closeOutside)
    document.addEventListener('focusin', closeOutside)
    return () => {
      document.removeEventListener('pointerdown', closeOutside)
      document.removeEventListener('focusin', closeOutside)
    }
  }, [open])

  function openByArrow(event: KeyboardEvent) {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    setOpen(true)
  }

  function move(event: KeyboardEvent) {
    if (event.key === 'Escape') {
      setOpen(false)
      button.current?.focus()
    }
    const items = itemsIn(box.current)
    const here = items.findIndex((item) => item === document.activeElement)
    const next = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: -1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    items.at(next % items.length)?.focus()
  }

  return (
    <div ref={box} className="relative">
      <button
        ref={button}
        type="button"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
        onKeyDown={openByArrow}
        className={classes('cursor-pointer', props.className)}
      >
        {props.label}
      </button>
      {open && (
        <div
          id={id}
          role="menu"
          tabIndex={-1}
          onKeyDown={move}
          onClick={() => setOpen(false)}
          className="absolute right-0 z-50 mt-2 flex min-w-44 animate-fade flex-col rounded-md border border-line bg-raised p-1.5 shadow-float"
        >
          {props.children}
        </div>
      )}
    </div>
  )
}

function itemsIn(box: HTMLElement | null) {
  return [...(box?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])]
}

/** The look of a link or button inside a menu; give it `role="menuitem"` and `tabIndex={-1}`. */
export const menuItem =
  'flex cursor-pointer items-center gap-2.5 rounded-sm px-3 py-2 text-left text-sm font-medium hover:bg-accent-soft focus:bg-accent-soft focus:outline-none'
