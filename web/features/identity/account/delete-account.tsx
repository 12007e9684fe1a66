import { useState } from 'react'
import { accounts } from '#contract/identity/accounts.ts'
import { CallForm } from '#web/api/call-form.tsx'
import { useData } from '#web/api/client.ts'
import { useForgetSession } from '#web/api/session.ts'
import { Button } from '#web/ui/button.tsx'
import { DialogButtons } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/form.tsx'
import { useNavigation } from '#web/ui/navigation.tsx'
import { PasswordInput } from '#web/ui/password-input.tsx'
import { AccountRow } from './account-row.tsx'

export function DeleteAccount() {
  const { data: profile } = useData(accounts.profile, {})
  const [isConfirming, setIsConfirming] = useState(false)
  const [wasCancelled, setWasCancelled] = useState(false)
  function renderAction() {
    if (profile?.hasPassword === false) return <p className="text-sm">Set a password first, so we know it’s you.</p>
    if (isConfirming)
      return (
        <ConfirmWithPassword
          onCancel={() => {
            setIsConfirming(false)
            setWasCancelled(true)
          }}
        />
      )
    return (
      <Button
        ref={wasCancelled ? focus : undefined}
        variant="dangerGhost"
        size="sm"
        className="-ml-3"
        onClick={() => setIsConfirming(true)}
      >
        Delete my account
      </Button>
    )
  }
  return (
    <AccountRow
      title="Delete account"
      text="Your subscriptions are cancelled immediately and your personal data is removed. Invoices stay in our books, as required by law. This cannot be undone."
    >
      {renderAction()}
    </AccountRow>
  )
}

/** Moves the focus, because button and form replace each other. */
const focus = (element: HTMLElement | null) => element?.focus()

function ConfirmWithPassword({ onCancel }: { onCancel: () => void }) {
  const { navigate } = useNavigation()
  const forgetSession = useForgetSession()
  return (
    <CallForm
      call={accounts.deleteMyself}
      label="Delete account"
      className="flex w-full flex-col gap-4"
      options={{
        succeeded: 'Account deleted',
        failed: 'Failed to delete account',
        onSuccess: async () => {
          await forgetSession()
          // Leads home after 50 ms, as docs/product.md promises for a logout.
          setTimeout(() => navigate('/'), 50)
        },
      }}
      button={{ variant: 'danger', pendingText: 'Deleting...', children: 'Delete permanently' }}
      renderButton={(button) => (
        <DialogButtons onClose={onCancel} cancel="Keep my account">
          {button}
        </DialogButtons>
      )}
    >
      <Field name="password" label="Your password">
        <PasswordInput ref={focus} autoComplete="current-password" required maxLength={128} />
      </Field>
    </CallForm>
  )
}
