import { factors, type Passkey } from '#contract/factors.ts'
import * as z from '#contract/zod.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'

export function RenameDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const rename = useCall(factors.renamePasskey, {
    refreshes: [factors.show],
    succeeded: 'Passkey renamed',
    failed: 'Failed to rename the passkey',
    onSuccess: onClose,
  })
  return (
    <Dialog title="Rename passkey" onClose={onClose}>
      <Form
        schema={factors.renamePasskey.input(z)}
        extra={{ id: passkey.id }}
        aria-label="Rename passkey"
        className="flex flex-col gap-4"
        onSubmit={(typed) => rename.mutateAsync(typed)}
      >
        <Field name="name" label="Name">
          <Input required maxLength={60} defaultValue={passkey.name} autoComplete="off" />
        </Field>
        <div className="flex justify-end gap-3 max-sm:flex-col-reverse">
          <Button variant="secondary" onClick={onClose}>
            Cancel
          </Button>
          <SubmitButton pendingText="Saving...">Save</SubmitButton>
        </div>
      </Form>
    </Dialog>
  )
}
