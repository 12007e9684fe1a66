import type { FormEvent } from 'react'
import { choosePasswordPath } from '#contract/forms.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { useUser } from '#web/api/session.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { useNavigation } from '#web/ui/navigation.tsx'
import { Container } from '#web/ui/page.tsx'
import { Refusal } from './auth-card.tsx'

/** Acts only on a click, because mail scanners open links, too. */
export default function ConfirmAddressPage() {
  const { navigate, search } = useNavigation()
  const token = new URLSearchParams(search).get('token') ?? ''
  const { user } = useUser()
  const confirm = useCall(accounts.confirmAddress, {
    refreshes: [accounts.user],
    failed: 'Confirmation failed',
    onSuccess: ({ choosePassword }) => {
      if (choosePassword) navigate(choosePasswordPath(token), { replace: true })
    },
  })
  const isConfirmed = confirm.data?.choosePassword === false
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!confirm.isPending) confirm.mutate({ token })
  }
  return (
    <Container className="flex flex-col items-start gap-5 py-20 sm:py-28">
      <h1 className="text-3xl">{isConfirmed ? 'Your address is confirmed' : 'Confirm your address'}</h1>
      <p aria-live="polite" className="max-w-xl text-lg text-muted">
        {isConfirmed
          ? 'Thank you. You can now add a passkey or an authenticator app to your account.'
          : 'One click shows us that this mailbox is yours.'}
      </p>
      <Refusal error={confirm.error} />
      {isConfirmed ? (
        <div className="flex flex-wrap gap-3">
          <ButtonLink href={user ? '/dashboard' : '/auth'}>{user ? 'Go to your dashboard' : 'Log in'}</ButtonLink>
          {user && (
            <ButtonLink variant="secondary" href="/account">
              Add a passkey
            </ButtonLink>
          )}
        </div>
      ) : (
        // Without scripts, the form posts to this address, which has the token in its query.
        <form method="post" onSubmit={submit}>
          <Button type="submit" pending={confirm.isPending} pendingText="Confirming...">
            Confirm my address
          </Button>
        </form>
      )}
    </Container>
  )
}
