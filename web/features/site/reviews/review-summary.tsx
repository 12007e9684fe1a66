import { Link } from '#web/ui/navigation.tsx'

/** The average, and where to read them all. */
export function ReviewSummary({ count, average }: { count: number; average: number }) {
  if (count === 0) return null
  return (
    <Link href="/reviews" className="rounded-sm text-sm text-muted">
      <span aria-hidden="true" className="mr-1.5 text-base text-accent">
        ★
      </span>
      <span className="underline decoration-accent underline-offset-4">
        {average.toFixed(1)} of 5 from {count} verified {count === 1 ? 'review' : 'reviews'}
      </span>
    </Link>
  )
}
