import { type KeyboardEvent, type MouseEvent, useEffect, useId, useState } from 'react'
import { classes } from '#web/ui/classes.ts'

/** Attributes of a field that keeps the focus while arrow keys select an option of its list. */
export function useCombobox(count: number, pick: (index: number) => void) {
  const listId = useId()
  const [selectedIndex, setSelectedIndex] = useState(0)
  const activeId = selectedIndex < count ? `${listId}-${selectedIndex}` : undefined
  useEffect(() => {
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' })
  }, [activeId])

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const isPick = event.key === 'Enter' && activeId !== undefined
    if (!step && !isPick) return
    event.preventDefault()
    // Wraps at both ends; `Math.max` because the list may be empty.
    if (step) setSelectedIndex((selectedIndex + step + count) % Math.max(count, 1))
    else pick(selectedIndex)
  }

  return {
    selectFirst: () => setSelectedIndex(0),
    field: {
      role: 'combobox',
      'aria-controls': listId,
      'aria-autocomplete': 'list',
      'aria-activedescendant': activeId,
      autoComplete: 'off',
      onKeyDown,
    } as const,
    list: { id: listId, role: 'listbox' } as const,
    option: (index: number, className: string) =>
      ({
        id: `${listId}-${index}`,
        role: 'option',
        tabIndex: -1,
        'aria-selected': index === selectedIndex,
        className: classes(
          'cursor-pointer rounded-sm px-3 text-sm',
          index === selectedIndex && 'bg-accent-soft',
          className,
        ),
        // Keeps the focus in the field, because its loss may close the list before the click.
        onMouseDown: (event: MouseEvent) => event.preventDefault(),
        onClick: () => pick(index),
      }) as const,
  }
}
