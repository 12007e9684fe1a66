import { type ReactNode, useId } from 'react'

export function DashboardSection(props: {
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
          <h2 id={headingId} className="text-xl">
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
