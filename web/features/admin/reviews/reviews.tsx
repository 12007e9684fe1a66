import { useState } from 'react'
import { type ManagedReview, reviewsAdmin } from '#contract/site/reviews-admin.ts'
import { useSettings } from '#web/api/settings.tsx'
import { Button } from '#web/ui/button.tsx'
import { Cell } from '#web/ui/table.tsx'
import { CustomerLink } from '../customers/customer-link.tsx'
import { RecordList } from '../lists/record-list.tsx'
import { actionColumn, DayCell } from '../lists/record-table.tsx'
import { formatCount } from '../parts/count.ts'
import { TextDialog } from '../parts/dialog-parts.tsx'
import { RowMenu } from '../parts/row-menu.tsx'

const showOptions = [
  ['to_answer', 'To answer: 3 stars or fewer'],
  ['unanswered', 'Without a reply'],
  ['reported', 'Reported'],
] as const

/** The seller can answer reviews and hide a reported one, but never delete one. */
export default function Reviews() {
  const { count, average } = useSettings().reviews
  const [answeredReview, setAnsweredReview] = useState<ManagedReview | null>(null)
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm text-muted">
        {count === 0
          ? 'No reviews yet.'
          : `${average.toFixed(1)} stars on average, from ${formatCount(count, 'review')}.`}
      </p>
      <RecordList
        label="List of reviews"
        noun={['review', 'reviews']}
        list={reviewsAdmin.list}
        filters={{ show: { label: 'Show', all: 'All reviews', options: showOptions } }}
        none={{ title: 'No reviews yet', description: 'Buyers can review after 30 days.' }}
        columns={['Written', 'Stars', 'Review', actionColumn]}
        renderRow={(review) => (
          <>
            <DayCell label="Written" value={review.writtenAt} />
            <Cell label="Stars" className="whitespace-nowrap text-warning">
              <span aria-hidden="true">{'★'.repeat(review.stars)}</span>
              <span aria-hidden="true" className="text-line">
                {'★'.repeat(5 - review.stars)}
              </span>
              <span className="sr-only">{review.stars} of 5</span>
            </Cell>
            <Cell className="max-w-xl">
              {review.customerId ? (
                <CustomerLink id={review.customerId}>{review.author}</CustomerLink>
              ) : (
                <p className="font-medium">Anonymous</p>
              )}
              <p className="break-words whitespace-pre-line">{review.text}</p>
              {review.answer && <p className="mt-1 text-muted">Your reply: {review.answer}</p>}
              {review.report && <p className="mt-1 text-warning">Reported: {review.report}</p>}
              {review.hiddenBecause && <p className="mt-1 text-muted">Hidden: {review.hiddenBecause}</p>}
            </Cell>
            <Cell>
              <div className="flex items-center justify-end gap-1">
                {review.answer === null && (
                  <Button variant="secondary" size="sm" onClick={() => setAnsweredReview(review)}>
                    Reply
                  </Button>
                )}
                <RowMenu
                  label={`the review by ${review.author ?? 'Anonymous'}`}
                  actions={[
                    review.answer !== null && { text: 'Edit reply', run: () => setAnsweredReview(review) },
                    review.reportedAt !== null &&
                      !review.hiddenBecause && {
                        text: 'Hide',
                        renderDialog: (close) => (
                          <TextDialog
                            title="Hide an unlawful review"
                            description="The text is replaced by your reason. The stars still count. The author gets an email."
                            call={reviewsAdmin.hide}
                            extra={{ id: review.id }}
                            options={{ succeeded: 'Review hidden', failed: 'Failed to hide the review' }}
                            field={{ name: 'reason', label: 'Reason, for everyone to read' }}
                            text={{ rows: 3, maxLength: 300 }}
                            button={{ variant: 'danger', pendingText: 'Hiding...', children: 'Hide review' }}
                            onClose={close}
                          />
                        ),
                        isDangerous: true,
                      },
                  ]}
                />
              </div>
            </Cell>
          </>
        )}
      />
      {answeredReview && (
        <TextDialog
          title="Reply in public"
          description="It appears below the review."
          call={reviewsAdmin.answer}
          extra={{ id: answeredReview.id }}
          options={{ succeeded: 'Reply published', failed: 'Failed to publish the reply' }}
          field={{ name: 'answer', label: 'Your reply' }}
          text={{ rows: 4, maxLength: 1000, defaultValue: answeredReview.answer ?? '' }}
          button={{ pendingText: 'Publishing...', children: 'Publish' }}
          onClose={() => setAnsweredReview(null)}
        />
      )}
    </div>
  )
}
