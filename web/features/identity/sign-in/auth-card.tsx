import { KeyRound, MailCheck } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { ApiError } from '#contract/call.ts'
import type { User } from '#contract/identity/session.ts'
import { messageOf } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Container } from '#web/ui/page.tsx'
import { useRememberedEmail } from './return-path.ts'

export function AuthCard(props: { title: string; description: ReactNode; children: ReactNode }) {
  return (
    <div>
      <Container className="flex min-h-[70vh] flex-col items-center justify-center gap-7 py-14 sm:py-20">
        <header className="flex max-w-md flex-col gap-2 text-center">
          <h1 className="text-3xl">{props.title}</h1>
          <p className="text-lg text-muted">{props.description}</p>
        </header>
        <Card className="flex w-full max-w-md flex-col gap-6 sm:p-8">{props.children}</Card>
      </Container>
    </div>
  )
}

export const textLinkClasses =
  'rounded-sm font-medium text-ink underline decoration-field underline-offset-4 hover:decoration-ink'

/** The error beside the form, because a toast disappears. Field errors are shown at their fields. */
export function Refusal({ error }: { error: Error | null }) {
  const isShownByFields = error instanceof ApiError && Object.keys(error.fields).length > 0
  if (!error || isShownByFields) return null
  return <ErrorNotice>{messageOf(error) ?? 'Please try again.'}</ErrorNotice>
}

const ErrorNotice = ({ children }: { children: string }) => (
  <Notice tone="bad" className="font-medium">
    {children}
  </Notice>
)

export const renderButtonWithRefusal = (button: ReactNode, error: Error | null) => (
  <>
    <Refusal error={error} />
    {button}
  </>
)

export function PasskeyButton({ onLoggedIn }: { onLoggedIn: (user: User) => unknown }) {
  const [isPending, setIsPending] = useState(false)
  const [errorMessage, setErrorMessage] = useState('')

  async function logIn() {
    setIsPending(true)
    setErrorMessage('')
    try {
      const { logInWithPasskey } = await import('./passkey-login.tsx')
      setErrorMessage((await logInWithPasskey(onLoggedIn)) ?? '')
    } catch (error) {
      setErrorMessage(messageOf(error) ?? 'Please try again.')
    } finally {
      setIsPending(false)
    }
  }

  return (
    <div className="flex flex-col gap-3">
      <Button variant="secondary" pending={isPending} onClick={() => void logIn()}>
        {!isPending && <KeyRound className="size-4" aria-hidden="true" />}
        Log in with a passkey
      </Button>
      {errorMessage && <ErrorNotice>{errorMessage}</ErrorNotice>}
    </div>
  )
}

export function RememberedEmailField() {
  const rememberedEmail = useRememberedEmail()
  return (
    <Field name="email" label="Email">
      <Input
        defaultValue={rememberedEmail}
        type="email"
        autoComplete="username"
        required
        maxLength={254}
        placeholder="you@example.com"
      />
    </Field>
  )
}

/** The same text for every address, so that it doesn't reveal who has an account. */
export function SentNote(props: { text: string; email: string; minutes: number; onTryAgain: () => void }) {
  return (
    <div className="flex flex-col items-center gap-4 text-center">
      <output className="flex flex-col items-center gap-3">
        <span className="grid size-12 place-items-center rounded-full bg-line/60 text-ink">
          <MailCheck aria-hidden="true" />
        </span>
        <p className="font-medium">{props.text}</p>
        <p className="text-muted">
          Please check the inbox of <span className="font-medium wrap-anywhere text-ink">{props.email}</span> and your
          spam folder. The link works for {props.minutes} minutes.
        </p>
      </output>
      <Button variant="secondary" size="sm" onClick={props.onTryAgain}>
        Try another email
      </Button>
    </div>
  )
}
