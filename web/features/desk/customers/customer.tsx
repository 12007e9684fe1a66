import { useQueryClient } from '@tanstack/react-query'
import { customers } from '#contract/desk/customers.ts'
import { keyOf, useData } from '#web/api/use-data.ts'
import { EmptyState, Skeleton } from '#web/ui/card.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { Failed } from '../lists/endless-table.tsx'
import { useTitle } from '../shell/use-arrival.ts'
import { Has } from './has.tsx'
import { Notes } from './notes.tsx'
import { Payments } from './payments.tsx'
import { Timeline } from './timeline.tsx'
import { Who } from './who.tsx'

const column = 'max-xl:contents xl:flex xl:min-w-0 xl:flex-col xl:gap-6'

/** Everything about one customer. */
export default function CustomerScreen({ id }: { id: string }) {
  // Everything here is asked anew each time the page opens: much of it changes without us.
  useQueryClient().setQueryDefaults(keyOf(customers.adminShow), { refetchOnMount: 'always' })
  const { data, isError, error, refetch } = useData(customers.adminShow, { id })
  useTitle(data && (data.name || data.email))
  if (isError && 'status' in error && (error.status === 404 || error.status === 400))
    return (
      <EmptyState title="No such customer" description="Perhaps the account was deleted.">
        <Link href="/admin/users" className="font-medium text-accent-strong underline">
          All users
        </Link>
      </EmptyState>
    )
  if (isError) return <Failed retry={() => void refetch()} />
  if (!data) return <Skeleton className="h-96 rounded-lg" />
  return (
    <div className="flex flex-col gap-6">
      <Who customer={data} />
      {/* On a narrow screen, one column: what they have, what we know and they paid, what happened. */}
      <div className="flex flex-col gap-6 xl:grid xl:grid-cols-[1fr_22rem] xl:items-start">
        <div className={column}>
          <Has customer={data} />
          <Timeline id={id} />
        </div>
        <div className={column}>
          <Notes customer={data} />
          <Payments id={id} />
        </div>
      </div>
    </div>
  )
}
