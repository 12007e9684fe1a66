import { type ReactNode, useState } from 'react'
import { seats } from '#contract/selling/seats.ts'
import { CallForm } from '#web/api/call-form.tsx'
import { useData } from '#web/api/client.ts'
import { Field } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'

export default function LimitedSeats({ slug, children }: { slug: string; children: ReactNode }) {
  const { data } = useData(seats.show, { product: slug })
  if (data?.isSoldOut) return <WaitingList slug={slug} />
  return (
    // One element: the page's grid has one place for it.
    <div>
      {data?.shown && (
        <p className="mb-6 text-center text-muted">
          {data.shown.taken} of {data.shown.limit} seats
        </p>
      )}
      {children}
    </div>
  )
}

function WaitingList({ slug }: { slug: string }) {
  const [isOn, setIsOn] = useState(false)
  if (isOn) return <p role="status">We’ll email you when a seat is free.</p>
  return (
    <CallForm
      call={seats.join}
      extra={{ product: slug }}
      label="Tell me when a seat is free"
      className="mx-auto flex w-full max-w-md flex-col gap-4 rounded-xl border border-line bg-surface p-7 shadow-card"
      options={{ failed: 'Failed to join the waiting list', onSuccess: () => setIsOn(true) }}
      button={{ pendingText: 'Saving...', children: 'Tell me when a seat is free' }}
    >
      <p className="font-medium">All seats are taken at the moment.</p>
      <Field name="email" label="Email" hint="We use it for this one message only.">
        <Input type="email" autoComplete="email" required />
      </Field>
    </CallForm>
  )
}
