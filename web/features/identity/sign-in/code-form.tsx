import type { ComponentProps, ReactNode } from 'react'
import { logins } from '#contract/identity/logins.ts'
import type { User } from '#contract/identity/session.ts'
import { CallForm } from '#web/api/call-form.tsx'
import { Input } from '#web/ui/input.tsx'
import { renderButtonWithRefusal } from './auth-card.tsx'
import { returnTo } from './return-path.ts'

export function CodeForm(props: { onLoggedIn: (user: User) => unknown; children: ReactNode }) {
  return (
    <CallForm
      call={logins.withCode}
      action={logins.withCode.path}
      label="Second step"
      options={{
        succeeded: 'Welcome back!',
        onSuccess: (user, { code }) => {
          // Only recovery codes have letters. The login then leads to Account, to set up another device.
          if (/[a-z]/i.test(code)) returnTo('/account')
          return props.onLoggedIn(user)
        },
      }}
      button={{ pendingText: 'Checking...', children: 'Continue' }}
      renderButton={renderButtonWithRefusal}
    >
      {props.children}
    </CallForm>
  )
}

export const LetterCodeInput = (props: ComponentProps<typeof Input>) => (
  <Input autoCapitalize="none" spellCheck={false} required maxLength={40} {...props} className="font-mono" />
)
