import { useState } from 'react'
import { credentials } from '#contract/identity/credentials.ts'
import * as z from '#contract/zod.ts'
import { useUser } from '#web/api/session.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form.tsx'
import { FormDialog } from '#web/ui/form-dialog.tsx'
import { Input } from '#web/ui/input.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Part } from './part.tsx'

export function ChangeEmail() {
  const { user } = useUser()
  const [isOpen, setIsOpen] = useState(false)
  const [sentTo, setSentTo] = useState('')
  const change = useCall(credentials.changeEmail, {
    failed: 'Failed to change the address',
    onSuccess: (_output, { email }) => {
      setSentTo(email)
      setIsOpen(false)
    },
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
      {sentTo && (
        <Notice>
          We’ve emailed a link to <span className="font-medium break-all">{sentTo}</span>. Your address
          changes when you use it, within 24 hours. Until then, nothing changes.
        </Notice>
      )}
      <Button variant="secondary" onClick={() => setIsOpen(true)}>
        Change email
      </Button>
      {isOpen && (
        <FormDialog
          title="Change email"
          description="We’ll email a link to the new address. Your current one is told, too."
          schema={credentials.changeEmail.input(z)}
          onSubmit={(typed) => change.mutateAsync(typed)}
          button={{ pendingText: 'Sending...', children: 'Send the link' }}
          onClose={() => setIsOpen(false)}
        >
          <Field name="email" label="New email address">
            <Input
              type="email"
              inputMode="email"
              autoComplete="email"
              autoCapitalize="none"
              spellCheck={false}
              required
              maxLength={254}
            />
          </Field>
        </FormDialog>
      )}
    </Part>
  )
}
