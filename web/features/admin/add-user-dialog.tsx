import { useState } from 'react'
import { accounts } from '#contract/accounts.ts'
import * as z from '#contract/zod.ts'
import { useCall } from '#web/api/use-call.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Checkbox, Input } from '#web/ui/input.tsx'
import { PasswordInput } from '#web/ui/password-input.tsx'
import { DialogButtons } from './dialog-buttons.tsx'

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
    <Dialog title="Add User" onClose={onClose}>
      <Form
        schema={accounts.adminAdd.input(z)}
        extra={{ isAdmin, invite }}
        aria-label="Add User"
        className="flex flex-col gap-4"
        onSubmit={(user) => add.mutateAsync(user)}
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
        <DialogButtons onClose={onClose}>
          <SubmitButton pendingText="Creating...">Create User</SubmitButton>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}
