import { useState } from 'react'
import { accounts } from '#contract/identity/accounts.ts'
import { credentials } from '#contract/identity/credentials.ts'
import * as z from '#contract/zod.ts'
import { useCall } from '#web/api/use-call.ts'
import { useData } from '#web/api/use-data.ts'
import { SetPassword } from '#web/features/identity/account/set-password.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { Field } from '#web/ui/form.tsx'
import { FormDialog } from '#web/ui/form-dialog.tsx'
import { PasswordInput } from '#web/ui/password-input.tsx'
import { Part } from './part.tsx'

export function ChangePassword() {
  const { data: profile } = useData(accounts.profile, {})
  const [isOpen, setIsOpen] = useState(false)
  const change = useCall(credentials.changePassword, {
    refreshes: [accounts.devices],
    succeeded: 'Password changed',
    failed: 'Failed to change the password',
    onSuccess: () => setIsOpen(false),
  })
  if (profile?.hasPassword === false)
    return (
      <Card>
        <SetPassword email={profile.email} />
      </Card>
    )
  return (
    <Part title="Password" text="A new one logs out every other device.">
      <Button variant="secondary" onClick={() => setIsOpen(true)}>
        Change password
      </Button>
      {isOpen && (
        <FormDialog
          title="Change password"
          schema={credentials.changePassword.input(z)}
          onSubmit={(typed) => change.mutateAsync(typed)}
          button={{ pendingText: 'Changing...', children: 'Change password' }}
          onClose={() => setIsOpen(false)}
        >
          <Field name="currentPassword" label="Current password">
            <PasswordInput what="current password" autoComplete="current-password" required maxLength={128} />
          </Field>
          <Field name="newPassword" label="New password" hint="Minimum 8 characters">
            <PasswordInput
              what="new password"
              autoComplete="new-password"
              required
              minLength={8}
              maxLength={128}
            />
          </Field>
        </FormDialog>
      )}
    </Part>
  )
}
