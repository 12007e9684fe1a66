import { useState } from 'react'
import { accounts } from '#contract/identity/accounts.ts'
import { credentials } from '#contract/identity/credentials.ts'
import { CallDialog } from '#web/api/call-dialog.tsx'
import { useData } from '#web/api/client.ts'
import { useUser } from '#web/api/session.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { PasswordInput } from '#web/ui/password-input.tsx'
import { AccountRow } from './account-row.tsx'

export function ChangeEmail() {
  const { user } = useUser()
  const [isOpen, setIsOpen] = useState(false)
  const [sentTo, setSentTo] = useState('')
  return (
    <AccountRow
      title="Email address"
      text={
        <>
          You log in with <span className="font-medium wrap-anywhere text-ink">{user?.email}</span>.
        </>
      }
    >
      {sentTo && (
        <Notice>
          We’ve emailed a link to <span className="font-medium wrap-anywhere">{sentTo}</span>. Your address changes when
          you use it, within 24 hours. Until then, nothing changes.
        </Notice>
      )}
      <Button variant="secondary" onClick={() => setIsOpen(true)}>
        Change email
      </Button>
      {isOpen && (
        <CallDialog
          title="Change email"
          description="We’ll email a link to the new address. Your current one is told, too."
          call={credentials.changeEmail}
          options={{ failed: 'Failed to change the address', onSuccess: (_output, { email }) => setSentTo(email) }}
          button={{ pendingText: 'Sending...', children: 'Send the link' }}
          onClose={() => setIsOpen(false)}
        >
          <Field name="email" label="New email address">
            <Input type="email" autoComplete="email" required maxLength={254} />
          </Field>
        </CallDialog>
      )}
    </AccountRow>
  )
}

export function ChangePassword() {
  const { data: profile } = useData(accounts.profile, {})
  const [isOpen, setIsOpen] = useState(false)
  if (profile?.hasPassword === false) return <SetPassword email={profile.email} />
  return (
    <AccountRow title="Password" text="Changing it logs you out everywhere else.">
      <Button variant="secondary" onClick={() => setIsOpen(true)}>
        Change password
      </Button>
      {isOpen && (
        <CallDialog
          title="Change password"
          call={credentials.changePassword}
          options={{
            refreshes: [accounts.devices],
            succeeded: 'Password changed',
            failed: 'Failed to change the password',
          }}
          button={{ pendingText: 'Changing...', children: 'Change password' }}
          onClose={() => setIsOpen(false)}
        >
          <Field name="currentPassword" label="Current password">
            <PasswordInput what="current password" autoComplete="current-password" required maxLength={128} />
          </Field>
          <Field name="newPassword" label="New password" hint="Minimum 8 characters">
            <PasswordInput what="new password" autoComplete="new-password" required minLength={8} maxLength={128} />
          </Field>
        </CallDialog>
      )}
    </AccountRow>
  )
}

/** A guest sets the first password with an emailed link, which proves that the mailbox is theirs. */
function SetPassword({ email }: { email: string }) {
  const send = useCall(accounts.requestPasswordReset, {
    failed: { title: 'Error', description: 'Failed to send the link' },
  })
  return (
    <AccountRow
      title="Set a password"
      text="You bought as a guest, so you don’t have a password yet. With one, you can log in any time."
    >
      {send.isSuccess ? (
        <Notice>
          Check the inbox of <span className="font-medium wrap-anywhere">{email}</span>. The link works for 60 minutes.
        </Notice>
      ) : (
        <Button variant="secondary" pending={send.isPending} onClick={() => send.mutate({ email })}>
          Email me a link
        </Button>
      )}
    </AccountRow>
  )
}
