import { useState } from 'react'
import { declarations } from '#contract/declarations.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { useNavigation } from '#web/ui/navigation.tsx'
import { Container } from '#web/ui/page.tsx'

/** The page our email links to. It acts only on a click, because mail scanners open links too. */
export default function ConfirmPage() {
  const query = new URLSearchParams(useNavigation().search)
  const [done, setDone] = useState(false)
  const confirm = useCall(declarations.confirm, {
    failed: 'Confirmation failed',
    onSuccess: () => setDone(true),
  })
  return (
    <Container className="flex flex-col items-start gap-5 py-20 sm:py-28">
      <h1 className="text-3xl">Confirm your declaration</h1>
      <p aria-live="polite" className="max-w-xl text-lg text-muted">
        {done
          ? 'Done. You’ll get an email about what happens to your contract.'
          : 'One click, and we carry out the withdrawal or cancellation described in our email.'}
      </p>
      {!done && (
        <Button
          pending={confirm.isPending}
          pendingText="Confirming..."
          onClick={() => confirm.mutate({ id: query.get('id') ?? '', token: query.get('token') ?? '' })}
        >
          Confirm
        </Button>
      )}
    </Container>
  )
}
