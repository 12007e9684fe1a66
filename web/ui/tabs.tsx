import { type ComponentProps, createContext, type KeyboardEvent, use, useId, useMemo, useState } from 'react'
import { classes } from './classes.ts'

type TabsState = { id: string; chosen: string; choose: (value: string) => void }

const TabsContext = createContext<TabsState>({ id: '', chosen: '', choose: () => {} })

/** Tabs per the ARIA practices: the arrows, Home, and End move between tabs and select them. */
export function Tabs({ defaultValue, ...rest }: ComponentProps<'div'> & { defaultValue: string }) {
  const id = useId()
  const [chosen, choose] = useState(defaultValue)
  const state = useMemo(() => ({ id, chosen, choose }), [id, chosen])
  return (
    <TabsContext value={state}>
      <div {...rest} />
    </TabsContext>
  )
}

export function TabList({ className, ...rest }: ComponentProps<'div'>) {
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
  // Up and down scroll the page, unless the tabs are below each other.
  const isUpright = event.currentTarget.ariaOrientation === 'vertical'
  const key = isUpright ? event.key.replace('Down', 'Right').replace('Up', 'Left') : event.key
  const next = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: -1 }[key]
  if (next === undefined) return
  event.preventDefault()
  const tab = tabs.at(next % tabs.length)
  tab?.focus()
  tab?.click()
}

export function Tab({ value, children }: { value: string; children: string }) {
  const { id, chosen, choose } = use(TabsContext)
  const isChosen = value === chosen
  return (
    <button
      type="button"
      role="tab"
      id={`${id}-tab-${value}`}
      aria-selected={isChosen}
      aria-controls={`${id}-panel-${value}`}
      tabIndex={isChosen ? 0 : -1}
      onClick={() => choose(value)}
      className="h-9 flex-1 cursor-pointer rounded-sm px-4 text-sm font-medium text-muted transition-colors hover:text-ink aria-selected:bg-raised aria-selected:text-ink aria-selected:shadow-card"
    >
      {children}
    </button>
  )
}

/** Only the selected panel is mounted, so each one starts fresh. */
export function TabPanel({ value, children, ...rest }: ComponentProps<'div'> & { value: string }) {
  const { id, chosen } = use(TabsContext)
  return (
    <div
      role="tabpanel"
      id={`${id}-panel-${value}`}
      aria-labelledby={`${id}-tab-${value}`}
      tabIndex={0}
      hidden={value !== chosen}
      {...rest}
    >
      {value === chosen && children}
    </div>
  )
}
