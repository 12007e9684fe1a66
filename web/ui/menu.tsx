import {
  type ComponentProps,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { classes } from './classes.ts'

/** Menu button by the ARIA practices. It is a popover, so no ancestor clips it. */
export function Menu(props: { label: ReactNode; 'aria-label'?: string; className?: string; children: ReactNode }) {
  const [open, setOpen] = useState<false | 'first' | 'last'>(false)
  const box = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()

  useLayoutEffect(() => {
    if (!open) return undefined
    const updatePosition = () => put(list.current, button.current)
    list.current?.showPopover()
    updatePosition()
    // Follows its button while anything scrolls.
    document.addEventListener('scroll', updatePosition, { capture: true, passive: true })
    addEventListener('resize', updatePosition)
    return () => {
      document.removeEventListener('scroll', updatePosition, { capture: true })
      removeEventListener('resize', updatePosition)
    }
  }, [open])

  useEffect(() => {
    if (!open) return undefined
    itemsIn(box.current)
      .at(open === 'first' ? 0 : -1)
      ?.focus({ preventScroll: true })
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
    const after = [...items.slice(here + 1), ...items]
    const target =
      next === undefined
        ? after.find(({ textContent }) => textContent.toLowerCase().startsWith(event.key.toLowerCase()))
        : items.at(next % items.length)
    if (!target) return
    // Letters choose an item here and must not trigger the page's shortcuts.
    event.preventDefault()
    target.focus()
  }

  return (
    <div ref={box} className="relative">
      <button
        ref={button}
        id={`${id}-button`}
        type="button"
        aria-label={props['aria-label']}
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
          ref={list}
          id={id}
          popover="manual"
          role="menu"
          aria-labelledby={`${id}-button`}
          tabIndex={-1}
          onKeyDown={move}
          onClick={close}
          className="m-0 flex min-w-44 animate-fade flex-col rounded-md border border-line bg-raised p-1.5 text-ink shadow-float"
        >
          {props.children}
        </div>
      )}
    </div>
  )
}

const gap = 8

/** Opens below its button, or above if there is no space; right edges align if both fit. */
function put(list: HTMLElement | null, button: HTMLElement | null) {
  if (!list || !button) return
  const { top, bottom, right } = button.getBoundingClientRect()
  const { offsetHeight: height, offsetWidth: width } = list
  const isBelow = bottom + gap + height <= innerHeight || top < gap + height
  const position = [isBelow ? bottom + gap : top - gap - height, Math.max(gap, right - width)]
  list.style.inset = `${position[0]}px auto auto ${position[1]}px`
}

function itemsIn(box: HTMLElement | null) {
  return [...(box?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])]
}

/** Classes for a link in a menu; also give it `role="menuitem"` and `tabIndex={-1}`. */
export const menuItem =
  'flex cursor-pointer items-center gap-2.5 rounded-sm px-3 py-2 text-left text-sm font-medium hover:bg-line/60 focus:bg-line/60 focus:outline-none'

type ItemProps = ComponentProps<'button'> & {
  isDangerous?: boolean | undefined
  /** Focusable but disabled; the text says why. */
  disabledBecause?: string | false | undefined
}

export function MenuItem({ isDangerous, disabledBecause: not, onClick, ...rest }: ItemProps) {
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      aria-disabled={not ? true : undefined}
      title={not || undefined}
      className={classes(menuItem, not ? 'text-muted' : isDangerous && 'text-danger')}
      onClick={not ? undefined : onClick}
      {...rest}
    />
  )
}
