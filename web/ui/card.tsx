import type { ComponentProps, ReactNode } from 'react'
import { Button } from './button.tsx'
import { classes } from './classes.ts'

export function Card({ className, ...rest }: ComponentProps<'div'>) {
  return <div className={classes('rounded-lg border border-line bg-surface p-6 shadow-card', className)} {...rest} />
}

export function EmptyState(props: { title: string; description?: string; icon?: ReactNode; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-3 rounded-lg border border-dashed border-line px-6 py-12 text-center">
      {props.icon && <span className="text-muted">{props.icon}</span>}
      <p className="font-medium">{props.title}</p>
      {props.description && <p className="max-w-prose text-muted">{props.description}</p>}
      {props.children}
    </div>
  )
}

export function Skeleton({ className, ...rest }: ComponentProps<'div'>) {
  return <div aria-hidden="true" className={classes('skeleton rounded-md bg-line/60', className)} {...rest} />
}

type Query = { isError: boolean; refetch: () => unknown }

/** Skeleton while the query loads, and its error afterwards. `what` completes "We couldn’t load …". */
export function Pending(props: { query: Query; what?: string; className?: string }) {
  const { query, what = 'this', className = 'h-96 rounded-lg' } = props
  if (!query.isError) return <Skeleton className={className} />
  return (
    <Card role="alert" className="flex flex-wrap items-center justify-between gap-4">
      <p>We couldn’t load {what}.</p>
      <Button variant="secondary" size="sm" onClick={() => void query.refetch()}>
        Try again
      </Button>
    </Card>
  )
}
