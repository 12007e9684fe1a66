import { type FormEvent, useId, useRef, useState } from 'react'
import { newsletter } from '#contract/site/newsletter.ts'
import { call } from '#web/api/client.ts'
import { toastError } from '#web/api/toast-error.ts'
import { Button } from '#web/ui/button.tsx'
import { useRefusedValues } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { toast } from '#web/ui/toast.tsx'

export function NewsletterForm({ successText }: { successText: string }) {
  const id = useId()
  const { email } = useRefusedValues(newsletter.subscribe.path)
  const input = useRef<HTMLInputElement>(null)
  const [state, setState] = useState<'pending' | 'done'>()
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const { current: field } = input
    if (!field || state === 'pending') return
    setState('pending')
    try {
      await call(newsletter.subscribe, { email: field.value })
      field.form?.reset()
      setState('done')
      toast({ title: 'Subscribed!', description: successText })
    } catch (error) {
      setState(undefined)
      toastError('Subscription failed', error)
    }
  }
  return (
    <form
      method="post"
      // Without scripts, the page with the result scrolls to this field.
      action={`${newsletter.subscribe.path}#${id}`}
      onSubmit={(event) => void submit(event)}
      className="@container"
    >
      <div className="flex gap-2 @max-[17.5rem]:flex-col">
        <label htmlFor={id} className="sr-only">
          Email address
        </label>
        <Input
          ref={input}
          id={id}
          type="email"
          name="email"
          required
          maxLength={254}
          autoComplete="email"
          placeholder="you@example.com"
          defaultValue={email}
        />
        <Button type="submit" variant="secondary" pending={state === 'pending'} pendingText="Subscribing...">
          Subscribe
        </Button>
      </div>
      {state === 'done' && <p className="mt-2 text-sm text-accent-strong">Check your inbox to confirm.</p>}
    </form>
  )
}
