import { useState } from 'react'
import { logins } from '#contract/identity/logins.ts'
import type { User } from '#contract/identity/session.ts'
import type { WayToProve } from '#contract/statuses.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { CodeInput } from '#web/ui/code-input.tsx'
import { Field } from '#web/ui/form.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { PasskeyButton, Refusal, textLinkClasses } from './auth-card.tsx'
import { CodeForm, LetterCodeInput } from './code-form.tsx'

type Props = { ways: WayToProve[]; onLoggedIn: (user: User) => unknown; onBack: () => void }

export default function SecondStep({ ways, onLoggedIn, onBack }: Props) {
  const [isRecovering, setIsRecovering] = useState(false)
  return (
    <div className="flex flex-col gap-5">
      <header className="flex flex-col gap-1">
        <h2 className="text-xl">One more step</h2>
        <p className="text-muted">Almost there. Please confirm that it’s you.</p>
      </header>
      {!isRecovering && ways.includes('passkey') && <PasskeyButton onLoggedIn={onLoggedIn} />}
      {isRecovering ? (
        <>
          <CodeForm key="recovery" onLoggedIn={onLoggedIn}>
            <Field name="code" label="Recovery code" hint="One of the ten you stored when you set this up.">
              <LetterCodeInput ref={focus} autoComplete="off" />
            </Field>
          </CodeForm>
          <LostDevice />
        </>
      ) : (
        ways.includes('code') && (
          <CodeForm key="app" onLoggedIn={onLoggedIn}>
            <Field name="code" label="Code from your authenticator app">
              <CodeInput ref={focus} />
            </Field>
          </CodeForm>
        )
      )}
      <div className="flex flex-wrap justify-between gap-3 text-sm">
        <button type="button" className={`${textLinkClasses} cursor-pointer`} onClick={onBack}>
          Back
        </button>
        <button
          type="button"
          className={`${textLinkClasses} cursor-pointer`}
          onClick={() => setIsRecovering(!isRecovering)}
        >
          {isRecovering ? 'I have my device' : 'I don’t have my device'}
        </button>
      </div>
    </div>
  )
}

/** Moves the focus, because the field replaces the focused one. */
const focus = (input: HTMLInputElement | null) => input?.focus()

function LostDevice() {
  const requestLink = useCall(logins.lostDevice, {})
  if (requestLink.isSuccess)
    return (
      <Notice>
        We’ve emailed you. In 72 hours you’ll get a link that removes the second step. If you find your device before,
        just log in with it.
      </Notice>
    )
  return (
    <div className="flex flex-col items-start gap-2 border-t border-line pt-4">
      <p className="text-sm text-muted">
        No codes either? We can email you a link that removes the second step. For your safety, it comes after 72 hours.
      </p>
      <Button variant="secondary" size="sm" pending={requestLink.isPending} onClick={() => requestLink.mutate({})}>
        Email me the link
      </Button>
      <Refusal error={requestLink.error} />
    </div>
  )
}
