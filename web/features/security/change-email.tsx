import { useState } from 'react'
import { credentials } from '#contract/credentials.ts'
import * as z from '#contract/zod.ts'
import { useUser } from '#web/api/session.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Part } from './part.tsx'

export function ChangeEmail() {
  const { user } = useUser()
  const [state, setState] = useState<{ step: 'closed' | 'open' } | { step: 'sent'; to: string }>({
    step: 'closed',
  })
  return (
    <Part
      title="Email address"
      text={
        <>
          You log in with <span className="font-medium break-all text-ink">{user?.email}</span>.
        </>
      }
    >
      {state.step === 'closed' && (
        <Button variant="secondary" onClick={() => setState({ step: 'open' })}>
          Change email
        </Button>
      )}
      {state.step === 'open' && (
        <EmailForm
          onClose={() => setState({ step: 'closed' })}
          onSent={(to) => setState({ step: 'sent', to })}
        />
      )}
      {state.step === 'sent' && (
        <Notice>
          We’ve emailed a link to <span className="font-medium break-all">{state.to}</span>. Your address
          changes when you use it, within 24 hours. Until then, nothing changes.
        </Notice>
      )}
    </Part>
  )
}

/** Takes focus, because this replaces the button that had it. */
const focus = (input: HTMLInputElement | null) => input?.focus()

function EmailForm({ onClose, onSent }: { onClose: () => void; onSent: (to: string) => void }) {
  const change = useCall(credentials.changeEmail, {
    failed: 'Failed to change the address',
    onSuccess: (_output, { email }) => onSent(email),
  })
  return (
    <Form
      schema={credentials.changeEmail.input(z)}
      aria-label="Change email"
      className="flex w-full max-w-md flex-col gap-4"
      onSubmit={(typed) => change.mutateAsync(typed)}
    >
      <Field name="email" label="New email address">
        <Input
          ref={focus}
          type="email"
          inputMode="email"
          autoComplete="email"
          autoCapitalize="none"
          spellCheck={false}
          required
          maxLength={254}
        />
      </Field>
      <div className="flex gap-3 max-sm:flex-col-reverse">
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton pendingText="Sending...">Send the link</SubmitButton>
      </div>
    </Form>
  )
}
