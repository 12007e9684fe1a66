import type { ReactNode } from 'react'
import { Link } from '#web/ui/navigation.tsx'

/** A person's name in a list, which opens their page. */
export function CustomerLink({ id, title, children }: { id: string; title?: string; children: ReactNode }) {
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
