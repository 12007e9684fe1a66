import { contact, contactForm, wrongAnswer } from '#contract/site/contact.ts'
import { checked } from '#web/api/checked.ts'
import { useCall } from '#web/api/use-call.ts'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input, Textarea } from '#web/ui/input.tsx'
import { toast } from '#web/ui/toast.tsx'

const form = checked(contactForm)

export function ContactForm() {
  const send = useCall(contact.send, {
    succeeded: { title: 'Message sent successfully!', description: 'We’ll reply by email.' },
    failed: {
      title: 'Failed to send message',
      description: 'Please try again later or contact us directly via email.',
      isFixed: true,
    },
  })
  return (
    <Form
      schema={form}
      // A plain post comes back to where it was sent from.
      action={`${contact.send.path}#contact`}
      onSubmit={({ answer: _, ...message }) => send.mutateAsync(message)}
      onInvalid={(errors, values) => {
        const { firstName, lastName, email, message } = values
        if ([firstName, lastName, email, message].some((value) => !String(value).trim()))
          toast({ title: 'Missing fields', description: 'Please fill in all fields.', destructive: true })
        else if (errors.answer)
          toast({ title: 'Incorrect answer', description: wrongAnswer, destructive: true })
      }}
      resetAfterwards
      aria-label="Contact"
      className="grid gap-5 sm:grid-cols-2"
    >
      <Field name="firstName" label="First name">
        <Input required maxLength={100} autoComplete="given-name" />
      </Field>
      <Field name="lastName" label="Last name">
        <Input required maxLength={100} autoComplete="family-name" />
      </Field>
      <Field name="email" label="Email" className="sm:col-span-2">
        <Input type="email" required maxLength={254} autoComplete="email" />
      </Field>
      <Field name="message" label="Message" className="sm:col-span-2">
        <Textarea required maxLength={5000} rows={6} />
      </Field>
      <Field name="answer" label="What is 5 + 3?" hint="A security question to keep bots out.">
        <Input required inputMode="numeric" autoComplete="off" maxLength={10} />
      </Field>
      {/* Only bots fill in a field that people can’t see. */}
      <div className="hidden" aria-hidden="true">
        <label>
          Website
          <input type="text" name="website" tabIndex={-1} autoComplete="off" />
        </label>
      </div>
      <div className="sm:col-span-2">
        <SubmitButton size="lg" pendingText="Sending..." className="max-sm:w-full">
          Send Message
        </SubmitButton>
      </div>
    </Form>
  )
}
