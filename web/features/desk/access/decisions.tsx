import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { accessRequests, type QueuedRequest, refusalReason } from '#contract/access/access-requests.ts'
import { overview } from '#contract/desk/overview.ts'
import * as z from '#contract/zod.ts'
import { call } from '#web/api/client.ts'
import { toastError, useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { DialogButtons } from '#web/ui/dialog-buttons.tsx'
import { toast } from '#web/ui/toast.tsx'
import { TextDialog } from '../parts/text-dialog.tsx'

const form = z.object({ reason: refusalReason(z) })

export function RefuseDialog(props: { ids: string[]; onDone: () => void; onClose: () => void }) {
  const { ids, onDone, onClose } = props
  const refuse = useCall(accessRequests.adminRefuse, {
    refreshes: [accessRequests.adminList, overview.adminShow],
    failed: 'Failed to refuse',
    onSuccess: ({ changed }) => {
      toast({
        title: 'Access refused',
        description: `${changed} refused; the buyers get the reason by email.`,
      })
      onDone()
      onClose()
    },
  })
  return (
    <TextDialog
      title={ids.length === 1 ? 'Refuse request' : `Refuse ${ids.length} requests`}
      description="The buyer gets this by email and can ask again."
      schema={form}
      field={{ name: 'reason', label: 'Reason' }}
      text={{ rows: 4, maxLength: 500, placeholder: 'This TradingView username does not exist.' }}
      button={{ variant: 'danger', pendingText: 'Refusing...', children: 'Refuse' }}
      onSubmit={({ reason }) => refuse.mutateAsync({ ids: ids.slice(0, 200), reason })}
      onClose={onClose}
    />
  )
}

const undoMilliseconds = 60_000

/** A grant by hand can be undone for a minute; the buyer gets the email after that. */
export function UndoBar({ ids, setIds }: { ids: string[]; setIds: (ids: string[]) => void }) {
  const undo = useCall(accessRequests.adminUndo, {
    refreshes: [accessRequests.adminList, overview.adminShow],
    succeeded: { title: 'Undone', description: 'No email was sent.' },
    failed: 'Failed to undo',
    onSuccess: () => setIds([]),
  })
  useEffect(() => {
    const timer = setTimeout(setIds, undoMilliseconds, [])
    return () => clearTimeout(timer)
  }, [setIds])
  return (
    <div className="flex items-center gap-4 rounded-md bg-accent-soft px-4 py-2 text-sm">
      <p className="mr-auto">
        {ids.length === 1 ? 'Granted.' : `${ids.length} granted.`} The email goes out in a minute.
      </p>
      <Button size="sm" variant="secondary" pending={undo.isPending} onClick={() => undo.mutate({ ids })}>
        Undo
      </Button>
    </div>
  )
}

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
