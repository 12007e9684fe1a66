import { useEffect, useEffectEvent, useId, useState } from 'react'
import { checkout, type Discount } from '#contract/selling/checkout.ts'
import type { BillingType } from '#contract/statuses.ts'
import { messageOf, toastError, useCall } from '#web/api/use-call.ts'
import { Button, TextButton } from '#web/ui/button.tsx'
import { Input } from '#web/ui/input.tsx'

type CodeOptions = {
  product: { slug: string }
  billing: BillingType
  /** The applied code; empty while the field is open, null while it is closed. */
  code: string | null
  /** Quote of the code for this plan; undefined until the server has answered. */
  discount: Discount | undefined
  onChange: (discount: Discount | null) => void
}

/** State of the code, with the meanings in `CodeOptions`: the address's code until the buyer changes, opens or closes it. */
export function useCode(search: string) {
  const [chosen, setChosen] = useState<string | null>()
  const codeInAddress = new URLSearchParams(search).get('code')
  // Stored, because the address of the payment step does not contain it.
  if (chosen === undefined && codeInAddress) setChosen(codeInAddress)
  return [chosen ?? null, setChosen] as const
}

/** Each plan gets its own quote of the code. */
export function useCodeField({ product, billing, code, discount, onChange }: CodeOptions) {
  const [typed, setTyped] = useState('')
  const [refusal, setRefusal] = useState('')
  const id = useId()
  const { mutateAsync: quote, isPending } = useCall(checkout.quote, {})
  const requestQuote = (newCode: string, plan: BillingType) =>
    quote({ productSlug: product.slug, billingType: plan, code: newCode })
  const quoteCode = useEffectEvent(async (newCode: string, plan: BillingType, signal: AbortSignal) => {
    try {
      const quoted = await requestQuote(newCode, plan)
      if (!signal.aborted) onChange(quoted)
    } catch (error) {
      if (signal.aborted) return
      onChange(null)
      toastError(`${newCode} was not applied`, error)
    }
  })
  const unquotedCode = discount ? '' : code
  useEffect(() => {
    if (!unquotedCode) return undefined
    // Ignores the answer once the code has been removed or the plan changed.
    const removal = new AbortController()
    void quoteCode(unquotedCode, billing, removal.signal)
    return () => removal.abort()
  }, [unquotedCode, billing])

  return {
    id,
    typed,
    refusal,
    isPending,
    type(text: string) {
      setTyped(text)
      setRefusal('')
    },
    clear() {
      setTyped('')
      setRefusal('')
    },
    /** Returns null if nothing is typed; throws if the code is refused. */
    async apply() {
      if (!typed.trim()) return null
      try {
        const applied = await requestQuote(typed.trim(), billing)
        onChange(applied)
        setTyped('')
        return applied
      } catch (error) {
        setRefusal(messageOf(error) ?? 'We can’t apply this code.')
        focus(id)
        throw error
      }
    },
  }
}

const focus = (id: string) => document.getElementById(id)?.focus()

export function CodeField(props: {
  field: ReturnType<typeof useCodeField>
  code: string | null
  discount: Discount | undefined
  onOpen: () => void
  onClose: () => void
  onRemove: () => void
}) {
  const { field, code, discount, onOpen, onClose, onRemove } = props
  const { id } = field
  // Moves the focus after a click, once the field is rendered; a code from a link must not move it.
  const focusAfter = (action: () => void) => () => {
    action()
    requestAnimationFrame(() => focus(id))
  }
  if (code === null)
    return (
      <TextButton className="self-start text-sm" onClick={focusAfter(onOpen)}>
        Have a code?
      </TextButton>
    )
  if (code)
    return (
      <p role="status" className="flex flex-wrap items-baseline gap-x-2 text-sm">
        <span>
          <strong className="font-semibold">{code}</strong>
          {discount && `: ${discount.worth}. ${discount.charges}.`}
        </span>
        <TextButton onClick={focusAfter(onRemove)}>Remove</TextButton>
      </p>
    )
  const apply = () => {
    if (!field.isPending) void field.apply().catch(() => undefined)
  }
  return (
    // Not a form, because the field is inside the checkout form.
    <div role="group" aria-label="Discount code" className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        Discount code
      </label>
      <div className="flex items-start gap-3">
        <Input
          id={id}
          value={field.typed}
          onChange={(event) => field.type(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            apply()
          }}
          aria-invalid={field.refusal ? true : undefined}
          aria-describedby={field.refusal ? `${id}-refusal` : undefined}
          autoComplete="off"
          autoCapitalize="characters"
          maxLength={60}
          className="grow"
        />
        <Button variant="secondary" pending={field.isPending} pendingText="Applying..." onClick={apply}>
          Apply
        </Button>
      </div>
      {field.refusal && (
        <div className="flex flex-col items-start gap-1.5 text-sm">
          <p id={`${id}-refusal`} role="alert" className="font-medium text-danger">
            {field.refusal}
          </p>
          <TextButton
            onClick={() => {
              field.clear()
              onClose()
            }}
          >
            Remove the code
          </TextButton>
        </div>
      )}
    </div>
  )
}
