import { useState } from 'react'
import { access } from '#contract/access/access.ts'
import { leaveReasonTexts } from '#contract/selling/leave-reason-texts.ts'
import { type Purchase, purchases } from '#contract/selling/purchases.ts'
import { leaveReasons } from '#contract/statuses.ts'
import { CallDialog } from '#web/api/call-dialog.tsx'
import { useCall } from '#web/api/use-call.ts'
import { TextButton } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form.tsx'
import { Textarea } from '#web/ui/input.tsx'
import { Time } from '#web/ui/time.tsx'
import { resumedMessage } from './use-purchases.ts'

export default function LeaveReasonDialog({ purchase, onClose }: { purchase: Purchase; onClose: () => void }) {
  const { id, status, endsAt } = purchase
  const [isChosen, setIsChosen] = useState(false)
  const resume = useCall(purchases.resume, {
    refreshes: [purchases.list, access.mine],
    succeeded: resumedMessage(purchase),
    failed: 'Failed to resume',
    onSuccess: onClose,
  })
  const hasAccess = status === 'pending_cancel' && endsAt
  return (
    <CallDialog
      title="Your subscription is cancelled"
      description={
        hasAccess && (
          <>
            You keep access until <Time value={endsAt} />, and nothing more is charged.{' '}
            <TextButton disabled={resume.isPending} onClick={() => resume.mutate({ id })}>
              Changed your mind? Undo it.
            </TextButton>
          </>
        )
      }
      call={purchases.giveReason}
      extra={{ id }}
      options={{ succeeded: 'Thank you', failed: 'Failed to send' }}
      button={{ pendingText: 'Sending...', children: 'Send', disabled: !isChosen }}
      cancel="Skip"
      onClose={onClose}
    >
      <fieldset className="flex flex-col gap-1" onChange={() => setIsChosen(true)}>
        <legend className="pb-1 text-sm font-medium">Would you tell us why?</legend>
        {leaveReasons.map((reason) => (
          <label key={reason} className="flex min-h-9 cursor-pointer items-center gap-3">
            <input type="radio" name="reason" value={reason} className="size-4.5" />
            {leaveReasonTexts[reason]}
          </label>
        ))}
      </fieldset>
      <Field name="comment" label="Anything to add? (optional)">
        <Textarea rows={2} maxLength={500} />
      </Field>
    </CallDialog>
  )
}
