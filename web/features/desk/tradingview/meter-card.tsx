import {
  type Meter,
  type TradingViewConnection,
  tradingViewAdmin,
} from '#contract/access/tradingview-admin.ts'
import * as z from '#contract/zod.ts'
import { useData } from '#web/api/client.ts'
import { useCall } from '#web/api/use-call.ts'
import { Card, Skeleton } from '#web/ui/card.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Time } from '#web/ui/time.tsx'
import { Section } from '../parts/section.tsx'

const form = z.object({
  seatLimit: z.string().check(z.trim(), z.regex(/^\d{0,6}$/, 'Please enter a whole number')),
  showsSeats: z.optional(z.string()),
})

export function MeterCard({ connection }: { connection: TradingViewConnection }) {
  const { data } = useData(tradingViewAdmin.meter, {})
  const settings = useCall(tradingViewAdmin.settings, {
    succeeded: 'Seats saved',
    failed: 'Failed to save seats',
  })
  if (!data) return <Skeleton className="h-32 rounded-lg" />
  return (
    <Section title="Seats">
      <Card className="flex flex-col gap-4">
        <Reading meter={data} />
        <Form
          schema={form}
          aria-label="Seats"
          className="flex flex-wrap items-end gap-4"
          onSubmit={({ seatLimit, showsSeats }) =>
            settings.mutateAsync({
              seatLimit: seatLimit ? Number(seatLimit) : null,
              showsSeats: showsSeats === 'on',
            })
          }
        >
          <Field name="seatLimit" label="Seat limit (optional)">
            <Input inputMode="numeric" defaultValue={data.limit ?? ''} className="w-32" />
          </Field>
          <label className="flex h-11 items-center gap-3 text-sm">
            <input
              type="checkbox"
              name="showsSeats"
              defaultChecked={connection.showsSeats}
              className="size-4.5 accent-accent"
            />
            Show the number on the product page
          </label>
          <SubmitButton size="sm" variant="secondary" pendingText="Saving...">
            Save
          </SubmitButton>
        </Form>
      </Card>
    </Section>
  )
}

function Reading({ meter }: { meter: Meter }) {
  const { people, limit, foreign, lastDay, forecast, endBefore, newAtThisPace, waiting, level } = meter
  return (
    <>
      <p>
        <strong>{limit === null ? `${people} people` : `${people} of ${limit} seats`}</strong> · About{' '}
        {forecast} by <Time value={lastDay} /> ({endBefore} ending, {newAtThisPace} new)
        {foreign > 0 && ` · ${foreign} added by hand`}
        {waiting > 0 && ` · ${waiting} waiting for a seat`}
      </p>
      {limit !== null && (
        <svg aria-hidden="true" className="h-2 w-full rounded-full bg-line">
          <rect className="h-full fill-accent" width={`${Math.min(100, (people / limit) * 100)}%`} />
        </svg>
      )}
      {limit !== null && people >= limit && (
        <p className="font-medium text-warning">
          All seats are taken, so visitors are offered the waiting list.
        </p>
      )}
      {level !== 'calm' && (
        <p className={level === 'full' ? 'font-medium text-danger' : 'font-medium text-warning'}>
          TradingView may charge per person above 100 at month’s end. Check section 22A of your vendor terms
          {limit === null && ', or set a limit'}.
        </p>
      )}
    </>
  )
}
