import { useState } from 'react'
import type { newsletter } from '#contract/newsletter.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { useNavigation } from '#web/ui/navigation.tsx'
import { Container } from '#web/ui/page.tsx'

type Words = Record<'title' | 'text' | 'button' | 'pending' | 'doneTitle' | 'done' | 'failed', string>

/** The page a newsletter email links to. It acts only on a click, because mail scanners open links too. */
export function MailedLink(props: { endpoint: typeof newsletter.confirm; words: Words }) {
  const { endpoint, words } = props
  const query = new URLSearchParams(useNavigation().search)
  const [done, setDone] = useState(false)
  const act = useCall(endpoint, { failed: words.failed, onSuccess: () => setDone(true) })
  return (
    <Container className="flex flex-col items-start gap-5 py-20 sm:py-28">
      <h1 className="text-3xl">{done ? words.doneTitle : words.title}</h1>
      <p aria-live="polite" className="max-w-xl text-lg text-muted">
        {done ? words.done : words.text}
      </p>
      {done ? (
        <ButtonLink href="/products">See the products</ButtonLink>
      ) : (
        <Button
          pending={act.isPending}
          pendingText={words.pending}
          onClick={() => act.mutate({ id: query.get('id') ?? '', token: query.get('token') ?? '' })}
        >
          {words.button}
        </Button>
      )}
    </Container>
  )
}
