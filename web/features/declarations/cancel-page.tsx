import { useState } from 'react'
import { declarations, grounds } from '#contract/declarations.ts'
import { labels } from '#contract/legal/consumer-law.ts'
import * as z from '#contract/zod.ts'
import { useCall } from '#web/api/use-call.ts'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input, Textarea } from '#web/ui/input.tsx'
import { BothLanguages, DeclarationPage, type FormProps, WhoAndWhat } from './declaration-form.tsx'

const schema = declarations.cancel.input(z)
const names = { ordinary: 'Ordinary cancellation', good_cause: 'Cancellation for good cause' }

export default function CancelPage() {
  return (
    <DeclarationPage
      title="Cancel contracts"
      lead="Cancel a contract right here, without logging in."
      done="We’ve received your cancellation"
      form={CancellationForm}
    />
  )
}

function CancellationForm(props: FormProps) {
  const [chosen, setChosen] = useState<(typeof grounds)[number]>('ordinary')
  const cancel = useCall(declarations.cancel, { failed: 'Failed to send your cancellation' })
  return (
    <Form
      schema={schema}
      aria-label="Cancellation"
      className="flex flex-col gap-6"
      onSubmit={async (declared) => {
        const { declaredAt } = await cancel.mutateAsync(declared)
        props.onSent({
          declaredAt,
          content: [
            ['Declaration', names[declared.grounds]],
            ...(declared.reason ? [['Reason', declared.reason] as [string, string]] : []),
            ['Name', declared.name],
            ['Contract', declared.contract],
            ['To end', declared.endsOn || 'as soon as possible'],
            ['Email for the receipt', declared.email],
          ],
        })
      }}
    >
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-2 text-sm font-medium">Kind of cancellation</legend>
        {grounds.map((value) => (
          <label key={value} className="flex cursor-pointer items-center gap-3">
            <input
              type="radio"
              name="grounds"
              value={value}
              checked={chosen === value}
              onChange={() => setChosen(value)}
              className="size-5 cursor-pointer accent-accent"
            />
            {names[value]}
          </label>
        ))}
      </fieldset>
      {chosen === 'good_cause' && (
        <Field name="reason" label="The good cause">
          <Textarea maxLength={1000} rows={3} />
        </Field>
      )}
      <WhoAndWhat user={props.user} />
      <Field name="endsOn" label="End date (optional)" hint="Leave it empty to cancel as soon as possible.">
        <Input type="date" className="max-w-56" />
      </Field>
      <SubmitButton size="lg" pendingText="Sending..." className="max-sm:w-full">
        <BothLanguages label={labels.cancelNow} />
      </SubmitButton>
    </Form>
  )
}
