import { assets, type ManagedAsset } from '#contract/assets.ts'
import * as z from '#contract/zod.ts'
import { useCall } from '#web/api/use-call.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Textarea } from '#web/ui/input.tsx'
import { DialogButtons } from './dialog-buttons.tsx'

const schema = assets.adminNote.input(z)

export function NoteDialog({ asset, onClose }: { asset: ManagedAsset; onClose: () => void }) {
  const save = useCall(assets.adminNote, {
    refreshes: [assets.adminList, assets.list],
    succeeded: 'Note saved',
    failed: 'Failed to save note',
    onSuccess: onClose,
  })
  return (
    <Dialog title={`Note on ${asset.ticker}`} onClose={onClose}>
      <Form
        schema={schema}
        extra={{ id: asset.id }}
        aria-label="Note"
        className="flex flex-col gap-5"
        onSubmit={(typed) => save.mutateAsync(typed)}
      >
        <Field name="note" label="Note" hint="Buyers see it beside the ticker. Leave it empty to remove it.">
          <Textarea rows={3} maxLength={500} defaultValue={asset.note ?? ''} />
        </Field>
        <DialogButtons onClose={onClose}>
          <SubmitButton pendingText="Saving...">Save Note</SubmitButton>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}
