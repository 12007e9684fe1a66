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
  /** False while closed, else the item that gets the focus. */
  const [focusAtOpen, setFocusAtOpen] = useState<false | 'first' | 'last'>(false)
  const isOpen = focusAtOpen !== false
  const container = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()

  useLayoutEffect(() => {
    if (!isOpen) return undefined
    const updatePosition = () => placeBeside(button.current, list.current)
    list.current?.showPopover()
    updatePosition()
    document.addEventListener('scroll', updatePosition, { capture: true, passive: true })
    addEventListener('resize', updatePosition)
    return () => {
      document.removeEventListener('scroll', updatePosition, { capture: true })
      removeEventListener('resize', updatePosition)
    }
  }, [isOpen])

  useEffect(() => {
    if (!isOpen) return undefined
    itemsIn(container.current)
      .at(focusAtOpen === 'first' ? 0 : -1)
      ?.focus({ preventScroll: true })
    const closeIfOutside = (event: Event) => {
      if (event.target instanceof Node && !container.current?.contains(event.target)) setFocusAtOpen(false)
    }
    document.addEventListener('pointerdown', closeIfOutside)
    document.addEventListener('focusin', closeIfOutside)
    return () => {
      document.removeEventListener('pointerdown', closeIfOutside)
      document.removeEventListener('focusin', closeIfOutside)
    }
  }, [isOpen, focusAtOpen])

  function openByArrow(event: KeyboardEvent) {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    setFocusAtOpen(event.key === 'ArrowDown' ? 'first' : 'last')
  }

  function close() {
    setFocusAtOpen(false)
    button.current?.focus()
  }

  function moveFocus(event: KeyboardEvent) {
    if (event.key === 'Escape') close()
    const items = itemsIn(container.current)
    const focusedIndex = items.findIndex((item) => item === document.activeElement)
    // -1 is the last item, so that the focus also wraps upwards.
    const nextIndex = { ArrowDown: focusedIndex + 1, ArrowUp: focusedIndex - 1, Home: 0, End: -1 }[event.key]
    const isLetter = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey
    const itemByLetter = isLetter ? findByFirstLetter(items, focusedIndex, event.key) : undefined
    const target = nextIndex === undefined ? itemByLetter : items.at(nextIndex % items.length)
    if (!target) return
    // Letters choose an item here and must not trigger the page's shortcuts.
    event.preventDefault()
    target.focus()
  }

  return (
    <div ref={container} className="relative">
      <button
        ref={button}
        id={`${id}-button`}
        type="button"
        aria-label={props['aria-label']}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setFocusAtOpen(isOpen ? false : 'first')}
        onKeyDown={openByArrow}
        className={classes('cursor-pointer', props.className)}
      >
        {props.label}
      </button>
      {isOpen && (
        <div
          ref={list}
          id={id}
          popover="manual"
          role="menu"
          aria-labelledby={`${id}-button`}
          tabIndex={-1}
          onKeyDown={moveFocus}
          onClick={close}
          className="m-0 flex min-w-44 animate-fade flex-col rounded-md border border-line bg-raised p-1.5 text-ink shadow-float"
        >
          {props.children}
        </div>
      )}
    </div>
  )
}

const gapPx = 8

/** Places the list below the button, or above it if only there is space. The right edges align if the list fits. */
function placeBeside(button: HTMLElement | null, list: HTMLElement | null) {
  if (!list || !button) return
  const { top, bottom, right } = button.getBoundingClientRect()
  const { offsetHeight: height, offsetWidth: width } = list
  const isBelow = bottom + gapPx + height <= innerHeight || top < gapPx + height
  const listTop = isBelow ? bottom + gapPx : top - gapPx - height
  const listLeft = Math.max(gapPx, right - width)
  list.style.inset = `${listTop}px auto auto ${listLeft}px`
}

/** Searches from the item after the focused one, and continues from the top. */
function findByFirstLetter(items: HTMLElement[], focusedIndex: number, letter: string) {
  const itemsInSearchOrder = [...items.slice(focusedIndex + 1), ...items]
  return itemsInSearchOrder.find(({ textContent }) => textContent.toLowerCase().startsWith(letter.toLowerCase()))
}

function itemsIn(container: HTMLElement | null) {
  return [...(container?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])]
}

/** For a link in a menu; also give it `role="menuitem"` and `tabIndex={-1}`. */
export const menuItemClasses =
  'flex cursor-pointer items-center gap-2.5 rounded-sm px-3 py-2 text-left text-sm font-medium hover:bg-line/60 focus:bg-line/60 focus:outline-none'

type ItemProps = ComponentProps<'button'> & {
  isDangerous?: boolean | undefined
  /** Reason why the item is disabled; it stays focusable, so that the reason can be read. */
  disabledBecause?: string | false | undefined
}

export function MenuItem({ isDangerous, disabledBecause, onClick, ...rest }: ItemProps) {
  const dangerClass = isDangerous && 'text-danger'
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      aria-disabled={disabledBecause ? true : undefined}
      title={disabledBecause || undefined}
      className={classes(menuItemClasses, disabledBecause ? 'text-muted' : dangerClass)}
      onClick={disabledBecause ? undefined : onClick}
      {...rest}
    />
  )
}
