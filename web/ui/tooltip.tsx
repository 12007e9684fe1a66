import { Tooltip as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

/** Stands around the pages that have tooltips. */
export function Tooltips({ children }: { children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={700} skipDelayDuration={300}>
      {children}
    </Radix.Provider>
  )
}

/** A hint for a control that has a name of its own. */
export function Tooltip({ text, children }: { text: string; children: ReactNode }) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          sideOffset={6}
          className="z-50 animate-fade rounded-sm bg-ink px-2.5 py-1.5 text-xs font-medium text-ground shadow-float"
        >
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
