import { access, accessRequestForm, usernameForm } from '#contract/access/access.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { useSettings } from '#web/api/settings.tsx'
import { useCall } from '#web/api/use-call.ts'
import { UsernameInput } from '#web/features/selling/checkout/username-input.tsx'
import { Button } from '#web/ui/button.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input, Textarea } from '#web/ui/input.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { PasswordInput } from '#web/ui/password-input.tsx'

const callOptions = {
  refreshes: [access.mine, purchases.list],
  succeeded: { title: 'Access request submitted!', description: "We'll send your TradingView access within 24 hours." },
  failed: 'Submission failed',
}

export function AccessRequestForm(props: {
  purchase: { paymentIntentId: string } | { purchaseId: string }
  username: string | null
  secondButton?: { label: string; onClick: () => void } | undefined
  /** The form stays busy until this resolves. */
  onSubmitted: () => Promise<unknown> | void
}) {
  const { purchase, username, secondButton, onSubmitted } = props
  const { askExchangeKeys } = useSettings()
  const submit = useCall(access.submit, callOptions)
  const submitForPurchase = useCall(access.submitForPurchase, callOptions)
  return (
    <Form
      schema={askExchangeKeys ? accessRequestForm : usernameForm}
      aria-label="TradingView Access Request"
      className="flex flex-col gap-5"
      onSubmit={async (typed) => {
        if ('paymentIntentId' in purchase) await submit.mutateAsync({ ...typed, ...purchase })
        else await submitForPurchase.mutateAsync({ ...typed, ...purchase })
        await onSubmitted()
      }}
    >
      {askExchangeKeys && (
        <Field name="exchangeName" label="Exchange Name">
          <Input autoComplete="off" placeholder="Interactive Brokers" />
        </Field>
      )}
      <Field
        name="tradingViewUsername"
        label="TradingView Username"
        hint="The name in the link to your profile: tradingview.com/u/your_name"
      >
        <UsernameInput defaultValue={username ?? ''} />
      </Field>
      {askExchangeKeys && <ExchangeKeys />}
      <Field name="additionalInfo" label="Additional Information (optional)">
        <Textarea rows={3} />
      </Field>
      <div className="flex gap-3 max-sm:flex-col">
        <SubmitButton pendingText="Submitting...">Submit Access Request</SubmitButton>
        {secondButton && (
          <Button variant="secondary" onClick={secondButton.onClick}>
            {secondButton.label}
          </Button>
        )}
      </div>
    </Form>
  )
}

/** Says which keys the shop never asks for, because phishing sites ask for keys, too. */
function ExchangeKeys() {
  return (
    <>
      <Notice tone="warning">
        <p className="font-medium">Read-only keys only</p>
        <p>
          We use them only to set up your exchange for the indicator, and then delete them. Create a new key that can
          only read. Never give anyone, including us, a key that can trade or withdraw.
        </p>
      </Notice>
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
    </>
  )
}
