import { accounts } from '#contract/accounts.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { staff } from '#contract/staff.ts'
import { roles, roleTexts } from '#contract/statuses.ts'
import * as z from '#contract/zod.ts'
import { useCall } from '#web/api/use-call.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Select } from '#web/ui/input.tsx'
import { DialogButtons } from './dialog-buttons.tsx'

type User = OutputOf<typeof accounts.adminList>[number]

export function RoleDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const set = useCall(staff.adminSetRole, {
    refreshes: [accounts.adminList],
    succeeded: 'Role changed',
    failed: 'Failed to change the role',
    onSuccess: onClose,
  })
  return (
    <Dialog
      title="Change role"
      description={`${user.email} is logged out everywhere and has the new role from the next login.`}
      onClose={onClose}
    >
      <Form
        schema={staff.adminSetRole.input(z)}
        extra={{ id: user.id }}
        aria-label="Change role"
        className="flex flex-col gap-4"
        onSubmit={(chosen) => set.mutateAsync(chosen)}
      >
        <Field
          name="role"
          label="Role"
          hint="Support sees users, purchases, and the access queue, but can’t refund, export, reveal keys, or change settings."
        >
          <Select defaultValue={user.isAdmin ? 'admin' : (user.role ?? 'none')}>
            <option value="none">None</option>
            {roles.map((role) => (
              <option key={role} value={role}>
                {roleTexts[role]}
              </option>
            ))}
            <option value="admin">Admin</option>
          </Select>
        </Field>
        <DialogButtons onClose={onClose}>
          <SubmitButton pendingText="Saving...">Change role</SubmitButton>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}
