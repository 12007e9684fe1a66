import { declarations, grounds } from '#contract/selling/declarations.ts'
import { buttons } from '#contract/selling/legal/consumer-law.ts'
import { Field } from '#web/ui/form.tsx'
import { Input, Textarea } from '#web/ui/input.tsx'
import { DeclarationPage } from './declaration-page.tsx'

const names = { ordinary: 'Ordinary cancellation', good_cause: 'Cancellation for good cause' }

export default function CancelPage() {
  return (
    <DeclarationPage
      endpoint={declarations.cancel}
      noun="cancellation"
      title="Cancel contracts"
      lead="Cancel a contract right here, without logging in."
      button={buttons.cancelNow}
      contentOf={({ grounds: chosen = 'ordinary', reason, endsOn }) => [
        ['Declaration', names[chosen]],
        ...(chosen === 'good_cause' && reason ? [['Reason', reason] as [string, string]] : []),
        ['To end', endsOn || 'as soon as possible'],
      ]}
      before={<Grounds />}
      after={
        <Field name="endsOn" label="End date (optional)" hint="Leave it empty to cancel as soon as possible.">
          <Input type="date" className="max-w-56" />
        </Field>
      }
    />
  )
}

/** Styles alone show the reason's field, so that it appears without scripts too. */
function Grounds() {
  return (
    // What follows a `:has` is named: after `:has() *`, whatever is inserted anywhere restyles the whole page.
    <div className="flex flex-col gap-6 [&:has([value^=good]:checked)>.cause]:flex">
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-2 text-sm font-medium">Kind of cancellation</legend>
        {grounds.map((value) => (
          <label key={value} className="flex cursor-pointer items-center gap-3">
            <input
              type="radio"
              name="grounds"
              value={value}
              defaultChecked={value === 'ordinary'}
              className="size-5"
            />
            {names[value]}
          </label>
        ))}
      </fieldset>
      <Field name="reason" label="The good cause" className="cause hidden">
        <Textarea maxLength={1000} rows={3} />
      </Field>
    </div>
  )
}
