import { assets, type ManagedAsset } from '#contract/access/assets.ts'
import * as z from '#contract/zod.ts'
import { useCall } from '#web/api/use-call.ts'
import { Field } from '#web/ui/form.tsx'
import { FormDialog } from '#web/ui/form-dialog.tsx'
import { Textarea } from '#web/ui/input.tsx'

const schema = assets.adminNote.input(z)

export function NoteDialog({ asset, onClose }: { asset: ManagedAsset; onClose: () => void }) {
  const save = useCall(assets.adminNote, {
    refreshes: [assets.adminList, assets.list],
    succeeded: 'Note saved',
    failed: 'Failed to save note',
    onSuccess: onClose,
  })
  return (
    <FormDialog
      title={`Note on ${asset.ticker}`}
      schema={schema}
      extra={{ id: asset.id }}
      onSubmit={(typed) => save.mutateAsync(typed)}
      button={{ pendingText: 'Saving...', children: 'Save Note' }}
      onClose={onClose}
    >
      <Field name="note" label="Note" hint="Buyers see it beside the ticker. Leave it empty to remove it.">
        <Textarea rows={3} maxLength={500} defaultValue={asset.note ?? ''} />
      </Field>
    </FormDialog>
  )
}
