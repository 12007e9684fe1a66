import { useState } from 'react'
import { accounts } from '#contract/identity/accounts.ts'
import * as z from '#contract/zod.ts'
import { useForgetSession } from '#web/api/session.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { DialogButtons } from '#web/ui/dialog-buttons.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { useNavigation } from '#web/ui/navigation.tsx'
import { PasswordInput } from '#web/ui/password-input.tsx'

export function DeleteAccount({ hasPassword }: { hasPassword: boolean }) {
  const [asked, setAsked] = useState(false)
  return (
    <section
      aria-labelledby="delete-account"
      className="flex flex-col items-start gap-3 border-t border-line pt-5"
    >
      <h3 id="delete-account" className="text-base">
        Delete account
      </h3>
      <p className="text-sm text-muted">
        Your subscriptions are cancelled immediately and your personal data is removed. Invoices stay in our
        books, as required by law. This cannot be undone.
      </p>
      {!hasPassword ? (
        <p className="text-sm">Please set a password first: it confirms that it’s really you.</p>
      ) : asked ? (
        <ConfirmWithPassword onCancel={() => setAsked(false)} />
      ) : (
        <Button variant="dangerGhost" size="sm" className="-ml-3" onClick={() => setAsked(true)}>
          Delete my account
        </Button>
      )}
    </section>
  )
}

/** Takes focus, because this replaces the button that had it. */
const focus = (input: HTMLInputElement | null) => input?.focus()

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
