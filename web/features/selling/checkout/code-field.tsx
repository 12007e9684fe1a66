import { useEffect, useEffectEvent } from 'react'
import * as z from 'zod/mini'
import { checkout, type Discount } from '#contract/selling/checkout.ts'
import type { BillingType } from '#contract/statuses.ts'
import { toastError, useCall } from '#web/api/use-call.ts'
import { TextButton } from '#web/ui/button.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'

const form = z.object({ code: z.string().check(z.trim(), z.minLength(1, 'Please enter a code')) })

/** Who opens it wants to type. */
const focus = (input: HTMLInputElement | null) => input?.focus()

/** A discount code, typed or from a link. For another plan, the server is asked again. */
export default function CodeField(props: {
  product: { slug: string }
  billing: BillingType
  code: string
  discount: Discount | undefined
  onChange: (discount: Discount | null) => void
}) {
  const { product, billing, code, discount, onChange } = props
  const { mutateAsync: quote } = useCall(checkout.quote, {})
  const apply = async (typed: string, plan = billing) =>
    onChange(await quote({ productSlug: product.slug, billingType: plan, code: typed }))
  const askAgain = useEffectEvent((plan: BillingType) => {
    apply(code, plan).catch((error: unknown) => {
      onChange(null)
      toastError(`${code} was not applied`, error)
    })
  })
  const isUnasked = code !== '' && !discount
  useEffect(() => {
    if (isUnasked) askAgain(billing)
  }, [isUnasked, billing])

  if (code)
    return (
      <p role="status" className="flex flex-wrap items-baseline gap-x-2 text-sm">
        <span>
          <strong className="font-semibold">{code}</strong>
          {discount && `: ${discount.worth}. ${discount.charges}.`}
        </span>
        <TextButton onClick={() => onChange(null)}>Remove</TextButton>
      </p>
    )
  return (
    <Form
      schema={form}
      aria-label="Discount code"
      className="flex items-start gap-3"
      onSubmit={(typed: { code: string }) => apply(typed.code)}
    >
      <Field name="code" label="Discount code" labelHidden className="grow">
        <Input ref={focus} autoComplete="off" autoCapitalize="characters" placeholder="Code" maxLength={60} />
      </Field>
      <SubmitButton variant="secondary" className="h-11" pendingText="Applying...">
        Apply
      </SubmitButton>
    </Form>
  )
}
