import type { ComponentProps, ReactNode } from 'react'
import { logins } from '#contract/identity/logins.ts'
import type { User } from '#contract/identity/session.ts'
import { checked } from '#web/api/checked.ts'
import { useCall } from '#web/api/use-call.ts'
import { Form, SubmitButton } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Refusal, useMustWait } from './auth-card.tsx'
import { returnTo } from './return-path.ts'

const form = checked(logins.withCode.input)

/** The second step with a code, from the app or for recovery: `children` is its field. */
export function CodeForm(props: { onLoggedIn: (user: User) => unknown; children: ReactNode }) {
  const login = useCall(logins.withCode, {
    succeeded: 'Welcome back!',
    onSuccess: (user, { code }) => {
      // A recovery code has letters. Anyone who needs one sets up the device again.
      if (/[a-z]/i.test(code)) returnTo('/account')
      return props.onLoggedIn(user)
    },
  })
  const mustWait = useMustWait(login.error)
  return (
    <Form
      schema={form}
      action={logins.withCode.path}
      aria-label="Second step"
      className="flex flex-col gap-5"
      onSubmit={(typed) => login.mutateAsync(typed)}
    >
      {props.children}
      <Refusal error={login.error} />
      <SubmitButton disabled={mustWait} pendingText="Checking...">
        Continue
      </SubmitButton>
    </Form>
  )
}

/** For codes that may have letters, which no keyboard should correct. */
export const LetterCodeInput = (props: ComponentProps<typeof Input>) => (
  <Input autoCapitalize="none" spellCheck={false} required maxLength={40} {...props} className="font-mono" />
)
