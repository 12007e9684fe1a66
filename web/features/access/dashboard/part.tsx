import { type ReactNode, useId } from 'react'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'

/** A dashboard section with a heading. The quick cards scroll to it by id. */
export function Part(props: {
  id?: string
  title: string
  description?: ReactNode
  actions?: ReactNode
  children: ReactNode
}) {
  const headingId = useId()
  return (
    <section id={props.id} tabIndex={-1} aria-labelledby={headingId} className="flex flex-col gap-6">
      <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div className="flex flex-col gap-1.5">
          <h2 id={headingId} className="text-2xl">
            {props.title}
          </h2>
          {props.description && <p className="text-muted">{props.description}</p>}
        </div>
        {props.actions && <div className="flex flex-wrap gap-2">{props.actions}</div>}
      </header>
      {props.children}
    </section>
  )
}

/** Shown in place of a section that failed to load. */
export function LoadError({ what, retry }: { what: string; retry: () => unknown }) {
  return (
    <Card role="alert" className="flex flex-wrap items-center justify-between gap-4">
      <p>We couldn’t load {what}.</p>
      <Button variant="secondary" size="sm" onClick={() => void retry()}>
        Try again
      </Button>
    </Card>
  )
}
