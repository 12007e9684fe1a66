import { type ComponentProps, type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { classes } from './classes.ts'

/** Tabs by the ARIA practices. Only the selected panel is mounted, so each panel starts fresh. */
export function Tabs({ label, tabs }: { label: string; tabs: Record<string, ReactNode> }) {
  const id = useId()
  const names = Object.keys(tabs)
  const [chosen, choose] = useState(names[0])
  return (
    <div className="flex flex-col gap-6">
      <TabList aria-label={label} className="flex w-full">
        {names.map((name, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            aria-selected={name === chosen}
            aria-controls={`${id}-panel-${index}`}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => choose(name)}
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
          hidden={name !== chosen}
        >
          {name === chosen && tabs[name]}
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
      onKeyDown={moveByKey}
      className={classes('inline-flex gap-1 rounded-md border border-line bg-ground p-1', className)}
      {...rest}
    />
  )
}

export function moveByKey(event: KeyboardEvent<HTMLElement>) {
  const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="tab"]')]
  const here = tabs.findIndex((tab) => tab === document.activeElement)
  // Up and Down scroll the page unless the tabs are stacked.
  const isUpright = event.currentTarget.ariaOrientation === 'vertical'
  const key = isUpright ? event.key.replace('Down', 'Right').replace('Up', 'Left') : event.key
  const next = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: -1 }[key]
  if (next === undefined) return
  event.preventDefault()
  const tab = tabs.at(next % tabs.length)
  tab?.focus()
  tab?.click()
}
