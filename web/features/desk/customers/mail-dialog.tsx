import { customers } from '#contract/desk/customers.ts'
import { useCall } from '#web/api/use-call.ts'
import { useData } from '#web/api/use-data.ts'
import { Button } from '#web/ui/button.tsx'
import { Skeleton } from '#web/ui/card.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { DialogButtons } from '#web/ui/dialog-buttons.tsx'
import { Time } from '#web/ui/time.tsx'
import { Failed } from '../lists/endless-table.tsx'

/** An email as it was sent. Links that carry a secret were cut out before it was stored. */
export function MailDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, isError, refetch } = useData(customers.adminMail, { id })
  const resend = useCall(customers.adminResend, {
    refreshes: [customers.adminShow],
    succeeded: 'Email sent again',
    failed: 'Failed to send it again',
    onSuccess: onClose,
  })
  return (
    <Dialog
      title={data?.subject ?? 'Email'}
      description={
        data && (
          <>
            Sent <Time value={data.sentAt} withClock />
          </>
        )
      }
      onClose={onClose}
      className="max-w-2xl"
    >
      {isError && <Failed retry={() => void refetch()} />}
      {!data && !isError && <Skeleton className="h-60" />}
      {data && (
        <section
          aria-label="Text of the email"
          tabIndex={0}
          className="max-h-[50vh] overflow-y-auto rounded-md border border-line bg-ground p-4 font-sans text-sm break-words whitespace-pre-wrap"
        >
          {data.text}
        </section>
      )}
      {data && !data.isResendable && (
        <p className="text-sm text-muted">Its link works once. Use “Send password link” for a new one.</p>
      )}
      {data?.isResendable && (
        <DialogButtons onClose={onClose}>
          <Button pending={resend.isPending} onClick={() => resend.mutate({ id })}>
            Send again
          </Button>
        </DialogButtons>
      )}
    </Dialog>
  )
}
