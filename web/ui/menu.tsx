import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { classes } from './classes.ts'

/**
 * A menu button per the ARIA practices: arrows, Home, End, and letters move; Escape or a click outside
 * closes it; and focus returns to the button.
 */
export function Menu(props: { label: ReactNode; className?: string; children: ReactNode }) {
  const [open, setOpen] = useState<false | 'first' | 'last'>(false)
  const box = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()

  useEffect(() => {
    if (!open) return undefined
    itemsIn(box.current)
      .at(open === 'first' ? 0 : -1)
      ?.focus()
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
    setOpen(event.key === 'ArrowDown' ? 'first' : 'last')
  }

  function close() {
    setOpen(false)
    button.current?.focus()
  }

  function move(event: KeyboardEvent) {
    if (event.key === 'Escape') close()
    const items = itemsIn(box.current)
    const here = items.findIndex((item) => item === document.activeElement)
    const next = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: -1 }[event.key]
    if (next !== undefined) event.preventDefault()
    const after = [...items.slice(here + 1), ...items]
    const target =
      next === undefined
        ? after.find(({ textContent }) => textContent.toLowerCase().startsWith(event.key.toLowerCase()))
        : items.at(next % items.length)
    target?.focus()
  }

  return (
    <div ref={box} className="relative">
      <button
        ref={button}
        id={`${id}-button`}
        type="button"
        aria-haspopup="menu"
        aria-expanded={open !== false}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(open ? false : 'first')}
        onKeyDown={openByArrow}
        className={classes('cursor-pointer', props.className)}
      >
        {props.label}
      </button>
      {open && (
        <div
          id={id}
          role="menu"
          aria-labelledby={`${id}-button`}
          tabIndex={-1}
          onKeyDown={move}
          onClick={close}
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

/** Classes for a link or button in a menu; also give it `role="menuitem"` and `tabIndex={-1}`. */
export const menuItem =
  'flex cursor-pointer items-center gap-2.5 rounded-sm px-3 py-2 text-left text-sm font-medium hover:bg-accent-soft focus:bg-accent-soft focus:outline-none'
