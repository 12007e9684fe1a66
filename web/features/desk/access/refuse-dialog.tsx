import { accessRequests, refusalReason } from '#contract/access/access-requests.ts'
import { overview } from '#contract/desk/overview.ts'
import * as z from '#contract/zod.ts'
import { toast } from '#web/ui/toast.tsx'
import { useRowCall } from '../lists/use-pages.ts'
import { TextDialog } from '../parts/text-dialog.tsx'

const form = z.object({ reason: refusalReason(z) })

export function RefuseDialog(props: { ids: string[]; onDone: () => void; onClose: () => void }) {
  const { ids, onDone, onClose } = props
  const refuse = useRowCall(accessRequests.adminRefuse, {
    list: accessRequests.adminList,
    refreshes: [overview.adminShow],
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
