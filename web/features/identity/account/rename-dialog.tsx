import { factors, type Passkey } from '#contract/identity/factors.ts'
import * as z from '#contract/zod.ts'
import { useCall } from '#web/api/use-call.ts'
import { Field } from '#web/ui/form.tsx'
import { FormDialog } from '#web/ui/form-dialog.tsx'
import { Input } from '#web/ui/input.tsx'

export function RenameDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const rename = useCall(factors.renamePasskey, {
    refreshes: [factors.show],
    succeeded: 'Passkey renamed',
    failed: 'Failed to rename the passkey',
    onSuccess: onClose,
  })
  return (
    <FormDialog
      title="Rename passkey"
      schema={factors.renamePasskey.input(z)}
      extra={{ id: passkey.id }}
      onSubmit={(typed) => rename.mutateAsync(typed)}
      button={{ pendingText: 'Saving...', children: 'Save' }}
      onClose={onClose}
    >
      <Field name="name" label="Name">
        <Input required maxLength={60} defaultValue={passkey.name} autoComplete="off" />
      </Field>
    </FormDialog>
  )
}
