import { type AccessRequest, accessRequestForm, accessRequests } from '#contract/access-requests.ts'
import { purchases } from '#contract/purchases.ts'
import * as z from '#contract/zod.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input, Textarea } from '#web/ui/input.tsx'
import { PasswordInput } from '#web/ui/password-input.tsx'

const messages = {
  refreshes: [accessRequests.list, purchases.list],
  succeeded: {
    title: 'Access request submitted!',
    description: "We'll send your TradingView access within 24 hours.",
  },
  failed: 'Submission failed',
}

/** The access request form, shown right after payment or later from the dashboard. */
export function AccessRequestForm(props: {
  of: { paymentIntentId: string } | { purchaseId: string }
  /** The previous request, minus the keys: those are sent only once. */
  before?: Partial<Pick<AccessRequest, 'exchangeName' | 'tradingViewUsername' | 'additionalInfo'>>
  leave: { label: string; onClick: () => void }
  /** The form stays busy until this resolves. */
  onSubmitted: () => Promise<unknown> | void
}) {
  const { of, before, leave, onSubmitted } = props
  const submit = useCall(accessRequests.submit, messages)
  const submitForPurchase = useCall(accessRequests.submitForPurchase, messages)
  return (
    <Form
      schema={accessRequestForm(z)}
      aria-label="TradingView Access Request"
      className="flex flex-col gap-5"
      onSubmit={async (typed) => {
        if ('paymentIntentId' in of) await submit.mutateAsync({ ...typed, ...of })
        else await submitForPurchase.mutateAsync({ ...typed, ...of })
        await onSubmitted()
      }}
    >
      <Field name="exchangeName" label="Exchange Name">
        <Input autoComplete="off" placeholder="Binance" defaultValue={before?.exchangeName} />
      </Field>
      <Field name="tradingViewUsername" label="TradingView Username">
        <Input
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          defaultValue={before?.tradingViewUsername}
        />
      </Field>
      <Field name="apiKey" label="Exchange API Key">
        <PasswordInput what="API key" autoComplete="off" spellCheck={false} />
      </Field>
      <Field
        name="secretKey"
        label="Exchange Secret Key"
        hint="Both keys are encrypted immediately and deleted once we’ve processed your request."
      >
        <PasswordInput what="secret key" autoComplete="off" spellCheck={false} />
      </Field>
      <Field name="additionalInfo" label="Additional Information (optional)">
        <Textarea rows={3} defaultValue={before?.additionalInfo ?? ''} />
      </Field>
      <div className="flex gap-3 max-sm:flex-col">
        <SubmitButton pendingText="Submitting...">Submit Access Request</SubmitButton>
        <Button variant="secondary" onClick={leave.onClick}>
          {leave.label}
        </Button>
      </div>
    </Form>
  )
}
