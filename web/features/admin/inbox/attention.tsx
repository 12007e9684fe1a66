import { ChevronRight, TriangleAlert } from 'lucide-react'
import { Skeleton } from '#web/ui/card.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { formatCapped, useNeeds } from './use-needs.ts'

export function Attention() {
  const { needs, count, isCounted } = useNeeds()
  if (!isCounted) return <Skeleton className="h-9 rounded-md" />
  if (!needs) return null
  return (
    <Link
      href="/admin/overview"
      className="flex min-h-9 items-center gap-2 rounded-md bg-surface px-3 text-sm font-medium hover:bg-accent-soft/60"
    >
      {count > 0 && <TriangleAlert className="size-4 shrink-0 text-warning" />}
      {count === 0 && 'All clear: nothing needs attention'}
      {count === 1 && '1 thing needs attention'}
      {count > 1 && `${formatCapped(count)} things need attention`}
      <ChevronRight className="ml-auto size-4 shrink-0 text-muted" />
    </Link>
  )
}
