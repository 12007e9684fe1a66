import { useState } from 'react'
import { accounts } from '#contract/identity/accounts.ts'
import * as z from '#contract/zod.ts'
import { useCall } from '#web/api/use-call.ts'
import { Field } from '#web/ui/form.tsx'
import { FormDialog } from '#web/ui/form-dialog.tsx'
import { Checkbox, Input } from '#web/ui/input.tsx'
import { PasswordInput } from '#web/ui/password-input.tsx'

export function AddUserDialog({ onClose }: { onClose: () => void }) {
  const [isAdmin, setIsAdmin] = useState(false)
  const [invite, setInvite] = useState(true)
  const add = useCall(accounts.adminAdd, {
    refreshes: [accounts.adminList],
    succeeded: 'User created successfully',
    failed: 'Failed to create user',
    onSuccess: onClose,
  })
  return (
    <FormDialog
      title="Add User"
      schema={accounts.adminAdd.input(z)}
      extra={{ isAdmin, invite }}
      onSubmit={(user) => add.mutateAsync(user)}
      button={{ pendingText: 'Creating...', children: 'Create User' }}
      onClose={onClose}
    >
      <Field name="email" label="Email">
        <Input type="email" autoComplete="off" required maxLength={254} />
      </Field>
      <Field name="password" label="Password" hint="Minimum 8 characters">
        <PasswordInput autoComplete="new-password" required maxLength={128} />
      </Field>
      <Field name="name" label="Name">
        <Input autoComplete="off" required maxLength={100} />
      </Field>
      <Checkbox
        label="Admin privileges"
        checked={isAdmin}
        onChange={(event) => setIsAdmin(event.target.checked)}
      />
      <Checkbox
        label="Send an invitation by email"
        checked={invite}
        onChange={(event) => setInvite(event.target.checked)}
      />
    </FormDialog>
  )
}
