import { type Review, reviews } from '#contract/site/reviews.ts'
import { useData } from '#web/api/client.ts'
import { classes } from '#web/ui/classes.ts'
import { Day, monthOf } from '#web/ui/day.tsx'
import { Stars } from './stars.tsx'

const quoteCount = 3

/** Chooses three reviews, the newest critical one last, because praise alone is not credible. */
function chooseQuotes(allReviews: Review[]) {
  const readable = allReviews.filter(({ text }) => text)
  const isCritical = ({ stars }: Review) => stars <= 3
  const critical = readable.find(isCritical)
  const others = readable.filter((review) => review !== critical)
  if (!critical) return others.slice(0, quoteCount)
  const positiveFirst = others.toSorted((a, b) => Number(isCritical(a)) - Number(isCritical(b)))
  return [...positiveFirst.slice(0, quoteCount - 1), critical]
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
