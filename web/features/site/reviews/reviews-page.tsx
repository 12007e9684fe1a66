import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Flag, MessageSquareText } from 'lucide-react'
import { useState } from 'react'
import {
  paidDaysToReview,
  type Review,
  type ReviewOrder,
  reviewOrders,
  reviews,
  reviewsPerPage,
} from '#contract/site/reviews.ts'
import { callPage, keyOf, useData } from '#web/api/client.ts'
import { useUser } from '#web/api/session.ts'
import { useSettings } from '#web/api/settings.tsx'
import { useCall } from '#web/api/use-call.ts'
import { Button, ButtonLink, TextButton } from '#web/ui/button.tsx'
import { EmptyState, Pending } from '#web/ui/card.tsx'
import { Day, monthOf } from '#web/ui/day.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Select, Textarea } from '#web/ui/input.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Container, PageHeading } from '#web/ui/page.tsx'
import { Time } from '#web/ui/time.tsx'
import { ReviewForm } from './review-form.tsx'
import { Stars } from './stars.tsx'

export default function ReviewsPage() {
  const { products } = useSettings()
  const [firstProduct] = products
  const { user } = useUser()
  const [stars, setStars] = useState<StarFilter | null>(null)
  return (
    <>
      <PageHeading
        title="Reviews"
        description={`What people who pay for ${firstProduct.name} say about it. All of it, good and bad.`}
      />
      <Container className="grid gap-x-16 gap-y-10 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-h-[70vh] min-w-0 flex-col gap-6">
          <OwnReview />
          <ReviewList stars={stars} onShowAll={() => setStars(null)} />
          {!user && (
            <ButtonLink href={`/products/${firstProduct.slug}#pricing`} className="self-center">
              Get access
            </ButtonLink>
          )}
        </div>
        {/* On a phone, the summary comes before the reviews and the explanation after them. */}
        <aside className="self-start text-sm text-muted max-lg:contents lg:sticky lg:top-24 lg:border-t lg:border-ink lg:pt-5">
          <div className="flex flex-col gap-3 max-lg:order-first max-lg:border-t max-lg:border-ink max-lg:pt-5">
            <Summary chosenStars={stars} onChoose={setStars} />
          </div>
          <div className="flex flex-col gap-3">
            <h2 className="text-base text-ink">How we verify them</h2>
            <p>
              Only people who have paid for at least {paidDaysToReview} days can write a review. We know from their
              payments, invite each of them once by email, and offer nothing in return.
            </p>
            <p>
              Everyone writes one review{products.length > 1 && ' of each product'}, and it appears immediately. We can
              reply but can’t edit or delete. If a review breaks the law, we hide its text, say why, and still count its
              stars. Reviews of deleted accounts stay, without a name.
            </p>
          </div>
        </aside>
      </Container>
    </>
  )
}

type StarFilter = '1' | '2' | '3' | '4' | '5'
const starFilters: StarFilter[] = ['5', '4', '3', '2', '1']

function Summary(props: { chosenStars: StarFilter | null; onChoose: (stars: StarFilter | null) => void }) {
  const { chosenStars, onChoose } = props
  const { count, average, byStars } = useSettings().reviews
  if (count === 0) return null
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-3 text-base text-ink">
        <span className="font-serif text-3xl">{average.toFixed(1)}</span>
        <Stars value={average} />
        <span className="text-sm text-muted">
          {count} {count === 1 ? 'review' : 'reviews'}
        </span>
      </p>
      <ul aria-label="How many stars they gave" className="mb-2 flex flex-col">
        {starFilters.map((stars) => {
          const reviewCount = byStars[Number(stars) - 1] ?? 0
          return (
            <li key={stars}>
              <button
                type="button"
                aria-pressed={chosenStars === stars}
                disabled={reviewCount === 0}
                onClick={() => onChoose(chosenStars === stars ? null : stars)}
                className="grid w-full cursor-pointer grid-cols-[3.5rem_minmax(0,1fr)_2rem] items-center gap-2 rounded-sm py-1 text-left hover:text-ink disabled:cursor-default aria-pressed:font-medium aria-pressed:text-ink"
              >
                <span>{stars === '1' ? '1 star' : `${stars} stars`}</span>
                <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" className="h-1.5 w-full">
                  <rect width="100" height="8" className="fill-line" />
                  <rect width={(100 * reviewCount) / count} height="8" className="fill-ink" />
                </svg>
                <span className="text-right font-mono">{reviewCount}</span>
              </button>
            </li>
          )
        })}
      </ul>
    </>
  )
}

function OwnReview() {
  const { user } = useUser()
  const { data } = useData(reviews.mine, {}, { enabled: user !== null })
  if (!user || !data) return null
  if (data.mayWrite) return <ReviewForm name={user.name} />
  if (data.mayWriteFrom)
    return (
      <p className="text-muted">
        <Time before="You can write one from" value={data.mayWriteFrom} after="." />
      </p>
    )
  return data.review && <Notice>You’ve written a review. Thank you!</Notice>
}

const orderNames: Record<ReviewOrder, string> = {
  newest: 'Newest first',
  highest: 'Most stars first',
  lowest: 'Fewest stars first',
}

function ReviewList({ stars, onShowAll }: { stars: StarFilter | null; onShowAll: () => void }) {
  const [sort, setSort] = useState<ReviewOrder>('newest')
  // Empty at first, so that the key is the one of the data embedded in the page (`web/prerender.tsx`).
  const filters = { ...(stars ? { stars } : {}), ...(sort === 'newest' ? {} : { sort }) }
  const query = useInfiniteQuery({
    queryKey: [...keyOf(reviews.list), 'pages', ...Object.values(filters)],
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam ? { cursor: pageParam } : {}
      return callPage(reviews.list, { limit: reviewsPerPage, ...filters, ...cursor }, { signal })
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    // The sort field stays, and with it the focus.
    placeholderData: keepPreviousData,
  })
  const loadedReviews = query.data?.pages.flatMap(({ items }) => items)
  if (!loadedReviews) return <Pending query={query} what="the reviews" className="h-64" />
  if (loadedReviews.length === 0)
    return (
      <EmptyState
        title="No reviews yet"
        description={`The first ones appear here once people have paid for ${paidDaysToReview} days.`}
        icon={<MessageSquareText aria-hidden="true" className="size-8" strokeWidth={1.5} />}
      />
    )
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 noscript:hidden">
        <p role="status" className="flex flex-wrap gap-x-3 text-sm text-muted">
          {stars && (
            <>
              Only reviews with {stars === '1' ? 'one star' : `${stars} stars`}.
              <TextButton onClick={onShowAll}>Show all</TextButton>
            </>
          )}
        </p>
        <Select
          aria-label="Sort the reviews"
          className="w-52"
          value={sort}
          onChange={({ target }) => setSort(reviewOrders.find((order) => order === target.value) ?? 'newest')}
          options={reviewOrders.map((order) => [order, orderNames[order]] as const)}
        />
      </div>
      <ul className="border-t border-line">
        {loadedReviews.map((review) => (
          <ReviewCard key={review.id} review={review} />
        ))}
      </ul>
      {query.hasNextPage && (
        <>
          <Button
            variant="secondary"
            className="self-center noscript:hidden"
            pending={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            {query.isFetchNextPageError ? 'Loading failed. Try again' : 'Show more'}
          </Button>
          <p className="hidden text-sm text-muted noscript:block">
            These are the {reviewsPerPage} newest reviews. To read them all, please turn on JavaScript.
          </p>
        </>
      )}
    </>
  )
}

function ReviewCard({ review }: { review: Review }) {
  const [isReporting, setIsReporting] = useState(false)
  const { stars, text, author, writtenAt, payingSince, answer, answeredAt, hiddenBecause } = review
  return (
    <li className="flex flex-col gap-3 border-b border-line py-6">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <Stars value={stars} />
        <span className="font-medium">{author ?? 'Anonymous'}</span>
        <span className="text-sm text-muted">
          <Day value={writtenAt} />
        </span>
        {payingSince && <span className="text-sm text-muted">Paying since {monthOf(payingSince)}</span>}
      </div>
      {hiddenBecause ? (
        <p className="text-muted italic">This text was reported and is hidden: {hiddenBecause}</p>
      ) : (
        <p className="break-words whitespace-pre-line">{text}</p>
      )}
      {answer && (
        <blockquote className="border-l border-ink pl-4 text-muted">
          <p className="text-sm font-medium text-ink">
            Our reply
            {answeredAt && (
              <>
                , <Day value={answeredAt} />
              </>
            )}
          </p>
          <p className="break-words whitespace-pre-line">{answer}</p>
        </blockquote>
      )}
      {!hiddenBecause && (
        <button
          type="button"
          onClick={() => setIsReporting(true)}
          className="inline-flex cursor-pointer items-center gap-1.5 self-start rounded-sm text-sm text-muted hover:text-ink noscript:hidden"
        >
          <Flag aria-hidden="true" className="size-3.5" />
          Report
        </button>
      )}
      {isReporting && <ReportDialog id={review.id} onClose={() => setIsReporting(false)} />}
    </li>
  )
}

/** Not a `CallDialog`, because the page would have to load one more file for it. */
function ReportDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const report = useCall(reviews.report, {
    succeeded: { title: 'Reported', description: 'Thank you. We’ll look at it.' },
    failed: 'Failed to report the review',
    onSuccess: onClose,
  })
  return (
    <Dialog
      title="Report this review"
      description="If it breaks the law, for example because it insults someone or reveals private data, we hide it. We don’t hide criticism."
      onClose={onClose}
    >
      <Form
        schema={reviews.report.input}
        extra={{ id }}
        aria-label="Report this review"
        className="flex flex-col gap-5"
        onSubmit={(typed) => report.mutateAsync(typed)}
      >
        <Field name="reason" label="What is wrong with it?">
          <Textarea rows={3} maxLength={500} />
        </Field>
        <DialogButtons onClose={onClose}>
          <SubmitButton pendingText="Reporting...">Report</SubmitButton>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}
