import { useState } from 'react'
import { accounts } from '#contract/identity/accounts.ts'
import * as z from '#contract/zod.ts'
import { useData } from '#web/api/client.ts'
import { useForgetSession } from '#web/api/session.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { DialogButtons } from '#web/ui/dialog.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { useNavigation } from '#web/ui/navigation.tsx'
import { PasswordInput } from '#web/ui/password-input.tsx'
import { Part } from './part.tsx'

export function DeleteAccount() {
  const { data: profile } = useData(accounts.profile, {})
  const [asked, setAsked] = useState<boolean>()
  return (
    <Part
      title="Delete account"
      text="Your subscriptions are cancelled immediately and your personal data is removed. Invoices stay in our books, as required by law. This cannot be undone."
    >
      {profile?.hasPassword === false ? (
        <p className="text-sm">Set a password first, so we know it’s you.</p>
      ) : asked ? (
        <ConfirmWithPassword onCancel={() => setAsked(false)} />
      ) : (
        <Button
          ref={asked === false ? focus : undefined}
          variant="dangerGhost"
          size="sm"
          className="-ml-3"
          onClick={() => setAsked(true)}
        >
          Delete my account
        </Button>
      )}
    </Part>
  )
}

/** Takes focus, because this replaces what had it. */
const focus = (element: HTMLElement | null) => element?.focus()

function ConfirmWithPassword({ onCancel }: { onCancel: () => void }) {
  const { navigate } = useNavigation()
  const forgetSession = useForgetSession()
  const remove = useCall(accounts.deleteMyself, {
    succeeded: 'Account deleted',
    failed: 'Failed to delete account',
    onSuccess: async () => {
      await forgetSession()
      setTimeout(() => navigate('/'), 50)
    },
  })
  return (
    <Form
      schema={accounts.deleteMyself.input(z)}
      aria-label="Delete account"
      className="flex w-full flex-col gap-4"
      onSubmit={(typed) => remove.mutateAsync(typed)}
    >
      <Field name="password" label="Your password">
        <PasswordInput ref={focus} autoComplete="current-password" required maxLength={128} />
      </Field>
      <DialogButtons onClose={onCancel} cancel="Keep my account">
        <SubmitButton variant="danger" pendingText="Deleting...">
          Delete permanently
        </SubmitButton>
      </DialogButtons>
    </Form>
  )
}
