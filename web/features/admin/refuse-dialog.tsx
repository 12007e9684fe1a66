import { accessRequests, refusalReason } from '#contract/access-requests.ts'
import { overview } from '#contract/overview.ts'
import * as z from '#contract/zod.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Textarea } from '#web/ui/input.tsx'
import { toast } from '#web/ui/toast.tsx'
import { DialogButtons } from './dialog-buttons.tsx'
import { useRowCall } from './use-pages.ts'

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
    <Dialog
      title={ids.length === 1 ? 'Refuse request' : `Refuse ${ids.length} requests`}
      description="The buyer gets this by email and can ask again."
      onClose={onClose}
    >
      <Form
        schema={form}
        aria-label="Refuse request"
        className="flex flex-col gap-4"
        onSubmit={({ reason }) => refuse.mutateAsync({ ids: ids.slice(0, 200), reason })}
      >
        <Field name="reason" label="Reason">
          <Textarea rows={4} maxLength={500} placeholder="This TradingView username does not exist." />
        </Field>
        <DialogButtons onClose={onClose}>
          <SubmitButton variant="danger" pendingText="Refusing...">
            Refuse
          </SubmitButton>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}
