import { useState } from 'react'
import { accounts } from '#contract/accounts.ts'
import { credentials } from '#contract/credentials.ts'
import * as z from '#contract/zod.ts'
import { useCall } from '#web/api/use-call.ts'
import { useData } from '#web/api/use-data.ts'
import { SetPassword } from '#web/features/profile/set-password.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { PasswordInput } from '#web/ui/password-input.tsx'
import { Part } from './part.tsx'

export function ChangePassword() {
  const { data: profile } = useData(accounts.profile, {})
  const [isOpen, setIsOpen] = useState(false)
  if (profile?.hasPassword === false)
    return (
      <Card>
        <SetPassword email={profile.email} />
      </Card>
    )
  return (
    <Part title="Password" text="A new one logs out every other device.">
      {isOpen ? (
        <PasswordForm onClose={() => setIsOpen(false)} />
      ) : (
        <Button variant="secondary" onClick={() => setIsOpen(true)}>
          Change password
        </Button>
      )}
    </Part>
  )
}

/** Takes focus, because this replaces the button that had it. */
const focus = (input: HTMLInputElement | null) => input?.focus()

function PasswordForm({ onClose }: { onClose: () => void }) {
  const change = useCall(credentials.changePassword, {
    refreshes: [accounts.devices],
    succeeded: 'Password changed',
    failed: 'Failed to change the password',
    onSuccess: onClose,
  })
  return (
    <Form
      schema={credentials.changePassword.input(z)}
      aria-label="Change password"
      className="flex w-full max-w-md flex-col gap-4"
      onSubmit={(typed) => change.mutateAsync(typed)}
    >
      <Field name="currentPassword" label="Current password">
        <PasswordInput
          ref={focus}
          what="current password"
          autoComplete="current-password"
          required
          maxLength={128}
        />
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
      <div className="flex gap-3 max-sm:flex-col-reverse">
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton pendingText="Changing...">Change password</SubmitButton>
      </div>
    </Form>
  )
}
