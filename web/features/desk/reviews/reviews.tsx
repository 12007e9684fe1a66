import { useState } from 'react'
import { answerText, hidingReason, type ManagedReview, reviews } from '#contract/site/reviews.ts'
import * as z from '#contract/zod.ts'
import { useCall } from '#web/api/use-call.ts'
import { EmptyState } from '#web/ui/card.tsx'
import { Cell } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { action, RecordTable } from '../lists/record-table.tsx'
import { usePages } from '../lists/use-pages.ts'
import { RowMenu } from '../parts/row-menu.tsx'
import { TextDialog } from '../parts/text-dialog.tsx'

type Doing = { what: 'answer' | 'hide'; review: ManagedReview }

/** Reviews can be answered; a reported, unlawful one can be hidden. Nothing can be deleted. */
export default function Reviews() {
  const query = usePages(reviews.adminList, {})
  const [doing, setDoing] = useState<Doing | null>(null)
  const close = () => setDoing(null)
  return (
    <>
      <RecordTable
        label="List of reviews"
        noun={['review', 'reviews']}
        query={query}
        empty={<EmptyState title="No reviews yet" description="Buyers can review after 30 days." />}
        columns={['Written', 'Stars', 'Review', action]}
        renderRow={(review) => (
          <>
            <Cell label="Written" className="whitespace-nowrap">
              <Time value={review.writtenAt} />
            </Cell>
            <Cell label="Stars" className="tabular-nums">
              {review.stars} of 5
            </Cell>
            <Cell className="max-w-xl">
              <p className="font-medium">{review.author ?? 'Anonymous'}</p>
              <p className="break-words whitespace-pre-line">{review.text}</p>
              {review.answer && <p className="mt-1 text-muted">Your reply: {review.answer}</p>}
              {review.report && <p className="mt-1 text-warning">Reported: {review.report}</p>}
              {review.hiddenBecause && <p className="mt-1 text-muted">Hidden: {review.hiddenBecause}</p>}
            </Cell>
            <Cell className="py-1.5">
              <RowMenu
                of={`the review by ${review.author ?? 'Anonymous'}`}
                actions={[
                  {
                    text: review.answer ? 'Edit reply' : 'Reply',
                    do: () => setDoing({ what: 'answer', review }),
                  },
                  review.reportedAt !== null &&
                    !review.hiddenBecause && {
                      text: 'Hide',
                      do: () => setDoing({ what: 'hide', review }),
                      isDangerous: true,
                    },
                ]}
              />
            </Cell>
          </>
        )}
      />
      {doing?.what === 'answer' && <AnswerDialog review={doing.review} onClose={close} />}
      {doing?.what === 'hide' && <HideDialog review={doing.review} onClose={close} />}
    </>
  )
}

type Props = { review: ManagedReview; onClose: () => void }
const answerForm = z.strictObject({ answer: answerText(z) })
const hideForm = z.strictObject({ reason: hidingReason(z) })

function AnswerDialog({ review, onClose }: Props) {
  const answer = useCall(reviews.adminAnswer, {
    refreshes: [reviews.adminList],
    succeeded: 'Reply published',
    failed: 'Failed to publish the reply',
    onSuccess: onClose,
  })
  return (
    <TextDialog
      title="Reply in public"
      description="It appears below the review."
      schema={answerForm}
      field={{ name: 'answer', label: 'Your reply' }}
      text={{ rows: 4, maxLength: 1000, defaultValue: review.answer ?? '' }}
      button={{ pendingText: 'Publishing...', children: 'Publish' }}
      onSubmit={(typed) => answer.mutateAsync({ id: review.id, ...typed })}
      onClose={onClose}
    />
  )
}

function HideDialog({ review, onClose }: Props) {
  const hide = useCall(reviews.adminHide, {
    refreshes: [reviews.adminList],
    succeeded: 'Review hidden',
    failed: 'Failed to hide the review',
    onSuccess: onClose,
  })
  return (
    <TextDialog
      title="Hide an unlawful review"
      description="The text is replaced by your reason. The stars still count. The author gets an email."
      schema={hideForm}
      field={{ name: 'reason', label: 'Reason, for everyone to read' }}
      text={{ rows: 3, maxLength: 300 }}
      button={{ variant: 'danger', pendingText: 'Hiding...', children: 'Hide review' }}
      onSubmit={(typed) => hide.mutateAsync({ id: review.id, ...typed })}
      onClose={onClose}
    />
  )
}
