import type { ReactNode } from 'react'
import { useCan } from '#web/api/session.ts'
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

/** Guests have no name: their email opens their page then. */
export function CustomerCell({ user }: { user: { id: string; name: string; email: string } }) {
  const { id, name, email } = user
  return (
    <Cell className="max-w-64">
      <CustomerLink id={id} title={name || email}>
        {name || email}
      </CustomerLink>
      {name && (
        <span className="block truncate text-muted" title={email}>
          {email}
        </span>
      )}
    </Cell>
  )
}
