import { type ComponentProps, type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { classes } from './classes.ts'

/** Tabs by the ARIA practices. Only the selected panel is mounted, so each panel starts fresh. */
export function Tabs({ label, tabs }: { label: string; tabs: Record<string, ReactNode> }) {
  const id = useId()
  const names = Object.keys(tabs)
  const [selectedName, selectName] = useState(names[0])
  return (
    <div className="flex flex-col gap-6">
      <TabList aria-label={label} className="flex w-full">
        {names.map((name, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            aria-selected={name === selectedName}
            aria-controls={`${id}-panel-${index}`}
            tabIndex={name === selectedName ? 0 : -1}
            onClick={() => selectName(name)}
            className="h-9 flex-1 cursor-pointer rounded-sm px-4 text-sm font-medium text-muted transition-colors hover:text-ink aria-selected:bg-raised aria-selected:text-ink aria-selected:shadow-card"
          >
            {name}
          </button>
        ))}
      </TabList>
      {names.map((name, index) => (
        <div
          key={name}
          role="tabpanel"
          id={`${id}-panel-${index}`}
          aria-labelledby={`${id}-tab-${index}`}
          tabIndex={0}
          hidden={name !== selectedName}
        >
          {name === selectedName && tabs[name]}
        </div>
      ))}
    </div>
  )
}

function TabList({ className, ...rest }: ComponentProps<'div'>) {
  return (
    <div
      role="tablist"
      tabIndex={-1}
      onKeyDown={moveFocusByKey}
      className={classes('inline-flex gap-1 rounded-md border border-line bg-ground p-1', className)}
      {...rest}
    />
  )
}

export function moveFocusByKey(event: KeyboardEvent<HTMLElement>) {
  const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="tab"]')]
  const focusedIndex = tabs.findIndex((tab) => tab === document.activeElement)
  // Up and Down scroll the page unless the tabs are stacked.
  const isVertical = event.currentTarget.ariaOrientation === 'vertical'
  const key = isVertical ? event.key.replace('Down', 'Right').replace('Up', 'Left') : event.key
  // -1 is the last tab, so that the focus also wraps to the left.
  const nextIndex = { ArrowRight: focusedIndex + 1, ArrowLeft: focusedIndex - 1, Home: 0, End: -1 }[key]
  if (nextIndex === undefined) return
  event.preventDefault()
  const tab = tabs.at(nextIndex % tabs.length)
  tab?.focus()
  tab?.click()
}
