import { Tabs as Radix } from 'radix-ui'
import type { ComponentProps } from 'react'
import { classes } from './classes.ts'

export const Tabs = Radix.Root

export function TabList({ className, ...rest }: ComponentProps<typeof Radix.List>) {
  return (
    <Radix.List
      className={classes('inline-flex gap-1 rounded-md border border-line bg-ground p-1', className)}
      {...rest}
    />
  )
}

export function Tab({ className, ...rest }: ComponentProps<typeof Radix.Trigger>) {
  return (
    <Radix.Trigger
      className={classes(
        'h-9 flex-1 cursor-pointer rounded-sm px-4 text-sm font-medium text-muted transition-colors hover:text-ink data-[state=active]:bg-raised data-[state=active]:text-ink data-[state=active]:shadow-card',
        className,
      )}
      {...rest}
    />
  )
}

export const TabPanel = Radix.Content
