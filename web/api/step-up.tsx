import { type ReactNode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { createCaller } from '#contract/call.ts'
import type { Endpoint, InputOf } from '#contract/endpoint.ts'
import { stepUp } from '#contract/identity/step-up.ts'
import type { WayToProve } from '#contract/statuses.ts'
import { Button } from '#web/ui/button.tsx'
import { CodeInput } from '#web/ui/code-input.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { PasswordInput } from '#web/ui/password-input.tsx'
import { askForPasskey, passkeyProblem } from './passkeys.ts'
import { messageOf } from './toast-error.ts'

// Separate caller, because the page's caller opens this dialog when a call is refused.
const { call } = createCaller((address, init) => fetch(address, init))

let openRequest: Promise<boolean> | undefined

/** Asks for another proof; resolves to false if the user closes the dialog. Calls refused together share one dialog. */
export function proveAgain(ways: WayToProve[]): Promise<boolean> {
  openRequest ??= showStepUpDialog(ways).finally(() => {
    openRequest = undefined
  })
  return openRequest
}

function showStepUpDialog(ways: WayToProve[]) {
  const container = document.body.appendChild(document.createElement('div'))
  const root = createRoot(container)
  return new Promise<boolean>((resolve) => {
    const finish = (proven: boolean) => {
      root.unmount()
      container.remove()
      resolve(proven)
    }
    root.render(<StepUpDialog ways={ways} onDone={finish} />)
  })
}

function StepUpDialog({ ways, onDone }: { ways: WayToProve[]; onDone: (proven: boolean) => void }) {
  const [problem, setProblem] = useState('')
  const [pending, setPending] = useState(false)

  async function prove<E extends Endpoint>(endpoint: E, input: InputOf<E> | Promise<InputOf<E>>) {
    setProblem('')
    try {
      await call(endpoint, await input)
    } catch (error) {
      setProblem(passkeyProblem(error) ?? messageOf(error) ?? 'Please try again.')
      throw error
    }
    onDone(true)
  }

  function proveWithPasskey() {
    setPending(true)
    const input = askForPasskey(call).then((response) => ({ response }))
    prove(stepUp.withPasskey, input)
      .catch(() => undefined)
      .finally(() => setPending(false))
  }

  type ProofEndpoint = typeof stepUp.withCode | typeof stepUp.withPassword
  const renderProofForm = (endpoint: ProofEndpoint, label: string, field: ReactNode) => (
    <Form
      schema={endpoint.input}
      aria-label={label}
      className="flex flex-col gap-4"
      onSubmit={(input: InputOf<ProofEndpoint>) => prove(endpoint, input)}
    >
      {field}
      <DialogButtons onClose={() => onDone(false)}>
        <SubmitButton pendingText="Checking...">Continue</SubmitButton>
      </DialogButtons>
    </Form>
  )
  return (
    <Dialog
      title="Please confirm that it’s you"
      description="What you’re about to do needs it. We won’t ask again while you’re at it, for up to an hour."
      onClose={() => onDone(false)}
    >
      {ways.includes('passkey') && (
        <Button variant={ways.length > 1 ? 'secondary' : 'primary'} pending={pending} onClick={proveWithPasskey}>
          Use a passkey
        </Button>
      )}
      {ways.includes('code') &&
        renderProofForm(
          stepUp.withCode,
          'Confirm with a code',
          <Field name="code" label="Code from your authenticator app">
            <CodeInput />
          </Field>,
        )}
      {ways.includes('password') &&
        renderProofForm(
          stepUp.withPassword,
          'Confirm with your password',
          <Field name="password" label="Your password">
            <PasswordInput autoComplete="current-password" required maxLength={128} />
          </Field>,
        )}
      {ways.length === 0 && (
        <>
          <p>
            You don’t have a password yet. Choose one with “Email me a link” under Account, log in with it, and try
            again.
          </p>
          <Button onClick={() => onDone(false)}>OK</Button>
        </>
      )}
      {ways.length > 0 && !ways.includes('password') && (
        <p className="text-sm text-muted">Lost your device? Log out, then log in with a recovery code.</p>
      )}
      {problem && <Notice tone="bad">{problem}</Notice>}
    </Dialog>
  )
}
