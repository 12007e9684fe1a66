import type { ReactNode } from 'react'
import { useCan } from '#web/api/session.ts'
import { classes } from '#web/ui/classes.ts'
import { Link } from '#web/ui/navigation.tsx'
import { Cell } from '#web/ui/table.tsx'

export function CustomerLink({ id, title, children }: { id: string; title?: string; children: ReactNode }) {
  const can = useCan()
  if (!can('customers.read')) return <span className="block truncate font-medium">{children || 'No name'}</span>
  return (
    <Link
      href={`/admin/customers/${id}`}
      title={title}
      className="block truncate font-medium underline-offset-4 hover:text-accent-strong hover:underline"
    >
      {children || 'No name'}
    </Link>
  )
}

/** Guests have no name, so their email is the link. */
export function CustomerCell({ user }: { user: { id: string; name: string; email: string } }) {
  const { id, name, email } = user
  return (
    <Cell className="max-w-80">
      <span className="flex items-baseline gap-x-2">
        <span className={classes('min-w-0', name && 'max-w-1/2 shrink-0')}>
          <CustomerLink id={id} title={name || email}>
            {name || email}
          </CustomerLink>
        </span>
        {name && (
          <span className="min-w-0 truncate text-muted" title={email}>
            {email}
          </span>
        )}
      </span>
    </Cell>
  )
}
