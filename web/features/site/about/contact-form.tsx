import { useState } from 'react'
import { contact, contactForm, wrongAnswer } from '#contract/site/contact.ts'
import { CallForm } from '#web/api/call-form.tsx'
import { useUser } from '#web/api/session.ts'
import { Field } from '#web/ui/form.tsx'
import { Input, Textarea } from '#web/ui/input.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { toast } from '#web/ui/toast.tsx'

export function ContactForm() {
  const { user } = useUser()
  const [replyAddress, setReplyAddress] = useState('')
  const [givenName = '', ...familyNames] = user?.name.trim().split(/\s+/) ?? []
  return (
    <CallForm
      call={contact.send}
      schema={contactForm}
      // The server doesn't get the answer to the security question.
      inputOf={({ answer: _answer, ...message }) => message}
      // Without scripts, the page with the result scrolls to this form.
      action={`${contact.send.path}#contact`}
      label="Contact"
      className="grid gap-5 sm:grid-cols-2"
      resetAfterwards
      options={{
        succeeded: { title: 'Message sent successfully!', description: 'We’ll reply by email.' },
        failed: {
          title: 'Failed to send message',
          description: 'Please try again later or contact us directly via email.',
          isFixed: true,
        },
        onSuccess: (_output, { email }) => setReplyAddress(email),
      }}
      onInvalid={(errors, values) => {
        const { firstName, lastName, email, message } = values
        if ([firstName, lastName, email, message].some((value) => !String(value).trim()))
          toast({ title: 'Missing fields', description: 'Please fill in all fields.', destructive: true })
        else if (errors.answer) toast({ title: 'Incorrect answer', description: wrongAnswer, destructive: true })
      }}
      button={{
        size: 'lg',
        pendingText: 'Sending...',
        className: 'max-sm:w-full sm:col-span-2 sm:justify-self-start',
        children: 'Send Message',
      }}
      renderButton={(button) => (
        <>
          {replyAddress && (
            <Notice tone="good" className="sm:col-span-2">
              We’ve got your message and will answer to{' '}
              <span className="font-medium wrap-anywhere">{replyAddress}</span>.
            </Notice>
          )}
          {button}
        </>
      )}
    >
      <Field name="firstName" label="First name">
        <Input required maxLength={100} autoComplete="given-name" defaultValue={givenName} />
      </Field>
      <Field name="lastName" label="Last name">
        <Input required maxLength={100} autoComplete="family-name" defaultValue={familyNames.join(' ')} />
      </Field>
      <Field name="email" label="Email" className="sm:col-span-2">
        <Input type="email" required maxLength={254} autoComplete="email" defaultValue={user?.email ?? ''} />
      </Field>
      <Field name="message" label="Message" className="sm:col-span-2">
        <Textarea required maxLength={5000} rows={6} />
      </Field>
      <Field name="answer" label="What is 5 + 3?" hint="A security question to keep bots out.">
        <Input required inputMode="numeric" autoComplete="off" maxLength={10} />
      </Field>
      {/* Honeypot: only bots fill in a hidden field. */}
      <div className="hidden" aria-hidden="true">
        <label>
          Website
          <input type="text" name="website" tabIndex={-1} autoComplete="off" />
        </label>
      </div>
    </CallForm>
  )
}
