import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId, useRef } from 'react'
import { newsletter } from '#contract/newsletter.ts'
import { call } from '#web/api/client.ts'
import { toastError } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Input } from '#web/ui/input.tsx'
import { toast } from '#web/ui/toast.tsx'

/** It's on every page, so to stay small it leaves validation to the browser and the server. */
export function NewsletterForm({ success }: { success: string }) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const subscribe = useMutation({
    mutationFn: (email: string) => call(newsletter.subscribe, { email }),
    onSuccess: () => {
      input.current?.form?.reset()
      toast({ title: 'Subscribed!', description: success })
    },
    onError: (error) => toastError('Subscription failed', error),
  })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (input.current && !subscribe.isPending) subscribe.mutate(input.current.value)
  }
  return (
    <form method="post" action={newsletter.subscribe.path} onSubmit={submit} className="@container">
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
        />
        <Button type="submit" pending={subscribe.isPending} pendingText="Subscribing...">
          Subscribe
        </Button>
      </div>
      {subscribe.isSuccess && <p className="mt-2 text-sm text-accent-strong">Check your inbox to confirm.</p>}
    </form>
  )
}
