import { type KeyboardEvent, type MouseEvent, useEffect, useId, useState } from 'react'
import { classes } from '#web/ui/classes.ts'

/** A field with matches below it: the arrows move between them, Enter or a click picks one. */
export function useCombobox(count: number, pick: (index: number) => void) {
  const list = useId()
  const [at, setAt] = useState(0)
  const active = at < count ? `${list}-${at}` : undefined
  useEffect(() => {
    if (active) document.getElementById(active)?.scrollIntoView({ block: 'nearest' })
  }, [active])

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!step && !(event.key === 'Enter' && active)) return
    event.preventDefault()
    if (step) setAt((at + step + count) % Math.max(count, 1))
    else pick(at)
  }

  return {
    /** Typing selects the first match again. */
    restart: () => setAt(0),
    field: {
      role: 'combobox',
      'aria-controls': list,
      'aria-autocomplete': 'list',
      'aria-activedescendant': active,
      autoComplete: 'off',
      onKeyDown,
    } as const,
    list: { id: list, role: 'listbox' } as const,
    option: (index: number, className: string) =>
      ({
        id: `${list}-${index}`,
        role: 'option',
        tabIndex: -1,
        'aria-selected': index === at,
        className: classes('cursor-pointer rounded-sm px-3 text-sm', index === at && 'bg-accent-soft', className),
        // Keeps the focus in the field, because its loss may close the list before the click.
        onMouseDown: (event: MouseEvent) => event.preventDefault(),
        onClick: () => pick(index),
      }) as const,
  }
}
