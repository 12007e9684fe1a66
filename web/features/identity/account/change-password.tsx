import { useState } from 'react'
import { accounts } from '#contract/identity/accounts.ts'
import { credentials } from '#contract/identity/credentials.ts'
import * as z from '#contract/zod.ts'
import { useCall } from '#web/api/use-call.ts'
import { useData } from '#web/api/use-data.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form.tsx'
import { FormDialog } from '#web/ui/form-dialog.tsx'
import { Notice } from '#web/ui/notice.tsx'
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
  if (profile?.hasPassword === false) return <SetPassword email={profile.email} />
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

/** A guest buyer has no password yet. It is chosen through an emailed link, which proves whose mailbox it is. */
function SetPassword({ email }: { email: string }) {
  const send = useCall(accounts.requestPasswordReset, {
    failed: { title: 'Error', description: 'Failed to send the link' },
  })
  return (
    <Part
      title="Set a password"
      text="You bought as a guest, so you don’t have a password yet. With one, you can log in any time."
    >
      {send.isSuccess ? (
        <Notice>
          Check the inbox of <span className="font-medium break-all">{email}</span>. The link works for 60
          minutes.
        </Notice>
      ) : (
        <Button variant="secondary" pending={send.isPending} onClick={() => send.mutate({ email })}>
          Email me a link
        </Button>
      )}
    </Part>
  )
}
