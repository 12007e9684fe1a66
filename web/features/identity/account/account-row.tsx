import { type ReactNode, useId } from 'react'
import { accounts } from '#contract/identity/accounts.ts'
import { factors } from '#contract/identity/factors.ts'

export function AccountRow(props: { title: string; text: ReactNode; children: ReactNode }) {
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      className="grid items-center gap-x-10 gap-y-3 border-b border-line py-5 md:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]"
    >
      <header className="flex flex-col gap-0.5 self-start">
        <h2 id={id} className="text-base">
          {props.title}
        </h2>
        <p className="text-sm text-muted">{props.text}</p>
      </header>
      <div className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-3 md:justify-end">{props.children}</div>
    </section>
  )
}

export const StateText = ({ children }: { children: ReactNode }) => <p className="text-sm text-muted">{children}</p>

/** Queries to refresh after a factor was added or removed, which also logs out the other devices. */
export const factorQueries = [factors.show, accounts.user, accounts.devices]
