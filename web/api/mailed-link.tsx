import { type FormEvent, useState } from 'react'
import { ApiError } from '#contract/call.ts'
import type { newsletter } from '#contract/site/newsletter.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { type Href, useNavigation } from '#web/ui/navigation.tsx'
import { Container } from '#web/ui/page.tsx'

type Words = Record<'title' | 'text' | 'button' | 'pending' | 'doneTitle' | 'done' | 'failed', string>

/** The page an emailed link leads to. It acts only on a click, because mail scanners open links too. */
export function MailedLink(props: {
  endpoint: typeof newsletter.confirm
  words: Words
  next?: { label: string; href: Href }
}) {
  const { endpoint, words, next } = props
  const query = new URLSearchParams(useNavigation().search)
  const [done, setDone] = useState(false)
  const act = useCall(endpoint, { failed: words.failed, onSuccess: () => setDone(true) })
  // What no second click would change is said on the page, where it stays.
  const ended =
    act.error instanceof ApiError && act.error.status === 410 ? act.error.serverMessage : undefined
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!act.isPending) act.mutate({ id: query.get('id') ?? '', token: query.get('token') ?? '' })
  }
  return (
    <Container className="flex flex-col items-start gap-5 py-20 sm:py-28">
      <h1 className="text-3xl">{ended ? 'This link has ended' : done ? words.doneTitle : words.title}</h1>
      <p aria-live="polite" className="max-w-xl text-lg text-muted">
        {ended ?? (done ? words.done : words.text)}
      </p>
      {!done && !ended && (
        // Without a script it posts to this address, whose query has the link's two parts.
        <form method="post" onSubmit={submit}>
          <Button type="submit" pending={act.isPending} pendingText={words.pending}>
            {words.button}
          </Button>
        </form>
      )}
      {done && next && <ButtonLink href={next.href}>{next.label}</ButtonLink>}
    </Container>
  )
}

export const seeProducts = { label: 'See the products', href: '/products' } as const
