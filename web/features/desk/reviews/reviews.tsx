import { reviews } from '#contract/site/reviews.ts'
import { Cell } from '#web/ui/table.tsx'
import { RecordList } from '../lists/record-list.tsx'
import { actionColumn, DayCell } from '../lists/record-table.tsx'
import { TextDialog } from '../parts/dialog-parts.tsx'
import { RowMenu } from '../parts/row-menu.tsx'

/** Reviews can be answered; a reported, unlawful one can be hidden. Nothing can be deleted. */
export default function Reviews() {
  return (
    <RecordList
      label="List of reviews"
      noun={['review', 'reviews']}
      list={reviews.adminList}
      none={{ title: 'No reviews yet', description: 'Buyers can review after 30 days.' }}
      columns={['Written', 'Stars', 'Review', actionColumn]}
      renderRow={(review) => (
        <>
          <DayCell label="Written" value={review.writtenAt} />
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
                  renderDialog: (close) => (
                    <TextDialog
                      title="Reply in public"
                      description="It appears below the review."
                      call={reviews.adminAnswer}
                      extra={{ id: review.id }}
                      options={{ succeeded: 'Reply published', failed: 'Failed to publish the reply' }}
                      field={{ name: 'answer', label: 'Your reply' }}
                      text={{ rows: 4, maxLength: 1000, defaultValue: review.answer ?? '' }}
                      button={{ pendingText: 'Publishing...', children: 'Publish' }}
                      onClose={close}
                    />
                  ),
                },
                review.reportedAt !== null &&
                  !review.hiddenBecause && {
                    text: 'Hide',
                    renderDialog: (close) => (
                      <TextDialog
                        title="Hide an unlawful review"
                        description="The text is replaced by your reason. The stars still count. The author gets an email."
                        call={reviews.adminHide}
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
          </Cell>
        </>
      )}
    />
  )
}
