import { useMutation } from '@tanstack/react-query'
import { accessRequests, type QueuedRequest } from '#contract/access/access-requests.ts'
import { call } from '#web/api/client.ts'
import { toastError } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { DialogButtons } from '#web/ui/dialog-buttons.tsx'

/** The keys live only in this dialog: never cached, and gone when it closes. */
export function RevealDialog({ request, onClose }: { request: QueuedRequest; onClose: () => void }) {
  const reveal = useMutation({
    mutationFn: () => call(accessRequests.adminReveal, { id: request.id }),
    onError: (error) => toastError('Failed to reveal', error),
    gcTime: 0,
  })
  return (
    <Dialog
      title="Exchange key"
      description={`${request.exchangeName} key of ${request.user.email}. The audit log records who looked.`}
      onClose={onClose}
    >
      {reveal.data ? (
        <dl className="flex flex-col gap-4">
          {[
            ['API key', reveal.data.apiKey],
            ['Secret key', reveal.data.secretKey],
          ].map(([title, value]) => (
            <div key={title} className="flex flex-col gap-1">
              <dt className="text-sm font-medium">{title}</dt>
              <dd className="rounded-md border border-line bg-ground p-3 font-mono text-sm break-all select-all">
                {value}
              </dd>
            </div>
          ))}
        </dl>
      ) : (
        <DialogButtons onClose={onClose}>
          <Button pending={reveal.isPending} onClick={() => reveal.mutate()}>
            Reveal
          </Button>
        </DialogButtons>
      )}
    </Dialog>
  )
}
