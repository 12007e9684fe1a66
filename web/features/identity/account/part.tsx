import { type ReactNode, useId } from 'react'
import { accounts } from '#contract/identity/accounts.ts'
import { factors } from '#contract/identity/factors.ts'
import { Card } from '#web/ui/card.tsx'

export function Part(props: { title: string; text: ReactNode; children: ReactNode }) {
  const id = useId()
  return (
    <Card className="flex flex-col gap-4">
      <section aria-labelledby={id} className="flex flex-col items-start gap-4">
        <header className="flex flex-col gap-1">
          <h2 id={id} className="text-lg">
            {props.title}
          </h2>
          <p className="text-sm text-muted">{props.text}</p>
        </header>
        {props.children}
      </section>
    </Card>
  )
}

/** What changes when a factor comes or goes; other devices are logged out. */
export const refreshes = [factors.show, accounts.user, accounts.devices]
