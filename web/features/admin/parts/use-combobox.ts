import { type KeyboardEvent, type MouseEvent, useEffect, useId, useState } from 'react'
import { classes } from '#web/ui/classes.ts'

export function useCombobox(count: number, pick: (index: number) => void) {
  const listId = useId()
  const [selected, setSelected] = useState(0)
  const activeId = selected < count ? `${listId}-${selected}` : undefined
  useEffect(() => {
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' })
  }, [activeId])

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const isPick = event.key === 'Enter' && activeId !== undefined
    if (!step && !isPick) return
    event.preventDefault()
    if (step) setSelected((selected + step + count) % Math.max(count, 1))
    else pick(selected)
  }

  return {
    selectFirst: () => setSelected(0),
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
        'aria-selected': index === selected,
        className: classes('cursor-pointer rounded-sm px-3 text-sm', index === selected && 'bg-accent-soft', className),
        // Keeps the focus in the field, because its loss may close the list before the click.
        onMouseDown: (event: MouseEvent) => event.preventDefault(),
        onClick: () => pick(index),
      }) as const,
  }
}
