import { type Review, reviews } from '#contract/site/reviews.ts'
import { useData } from '#web/api/client.ts'
import { classes } from '#web/ui/classes.ts'
import { Day, monthOf } from '#web/ui/day.tsx'
import { Stars } from './stars.tsx'

const quoteCount = 3

/** Chooses three reviews, the newest critical one last, because praise alone is not credible. */
function chooseQuotes(allReviews: Review[]) {
  const reviewsWithText = allReviews.filter(({ text }) => text)
  const isCritical = ({ stars }: Review) => stars <= 3
  const criticalReviews = reviewsWithText.filter(isCritical)
  const positiveReviews = reviewsWithText.filter((review) => !isCritical(review))
  const [newestCritical, ...olderCritical] = criticalReviews
  if (!newestCritical) return positiveReviews.slice(0, quoteCount)
  const otherReviews = [...positiveReviews, ...olderCritical]
  return [...otherReviews.slice(0, quoteCount - 1), newestCritical]
}

export function Quotes() {
  const { data } = useData(reviews.list, {})
  return chooseQuotes(data ?? []).map(({ id, stars, text, author, writtenAt, payingSince }, index) => (
    <figure
      key={id}
      className={classes('flex flex-col gap-3 border-t border-line pt-5', index === 0 && 'md:row-span-2')}
    >
      <Stars value={stars} />
      <blockquote className={classes('line-clamp-6 break-words', index === 0 && 'font-serif text-2xl')}>
        {text}
      </blockquote>
      <figcaption className="text-sm text-muted">
        {author ?? 'Anonymous'}, <Day value={writtenAt} />
        {payingSince && `. Paying since ${monthOf(payingSince)}`}
      </figcaption>
    </figure>
  ))
}
