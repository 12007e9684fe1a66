import { Link } from '#web/ui/navigation.tsx'
import { Section } from '#web/ui/section.tsx'
import { Quotes } from './quotes.tsx'

export function ReviewSummary({ count, average }: { count: number; average: number }) {
  if (count === 0) return null
  return (
    <Link href="/reviews" className="rounded-sm text-sm text-muted">
      <span aria-hidden="true" className="mr-1.5 text-base text-ink">
        ★
      </span>
      <span className="underline decoration-line underline-offset-4">
        {average.toFixed(1)} of 5 from {count} verified {count === 1 ? 'review' : 'reviews'}
      </span>
    </Link>
  )
}

export function ReviewQuotes({ tick, ...reviews }: { count: number; average: number; tick: string }) {
  if (reviews.count === 0) return null
  return (
    <Section tick={tick} title="What Buyers Say" lead={<ReviewSummary {...reviews} />}>
      <div className="grid min-h-60 gap-x-10 gap-y-8 md:grid-cols-2">
        <Quotes />
      </div>
    </Section>
  )
}
