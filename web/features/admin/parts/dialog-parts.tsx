import { ChevronDown } from 'lucide-react'
import { type ComponentProps, type ReactNode, useId } from 'react'
import type { Endpoint } from '#contract/endpoint.ts'
import { CallDialog } from '#web/api/call-dialog.tsx'
import { Field } from '#web/ui/form.tsx'
import { Textarea } from '#web/ui/input.tsx'

export function TextDialog<E extends Endpoint>({
  field,
  text,
  ...dialog
}: Omit<ComponentProps<typeof CallDialog<E>>, 'children'> & {
  field: { name: string; label: string; hint?: string }
  text: ComponentProps<typeof Textarea>
}) {
  return (
    <CallDialog {...dialog}>
      <Field {...field}>
        <Textarea {...text} />
      </Field>
    </CallDialog>
  )
}

export function Choice({ label, children, ...rest }: ComponentProps<'input'> & { label: string }) {
  const id = useId()
  return (
    <div className="rounded-md border border-line p-4 has-checked:border-accent has-checked:bg-accent-soft">
      <label className="flex cursor-pointer items-center gap-3 font-medium">
        <input type="radio" name="kind" aria-describedby={id} className="size-4.5" {...rest} />
        {label}
      </label>
      <p id={id} className="pl-7.5 text-sm text-muted">
        {children}
      </p>
    </div>
  )
}

/** Optional fields beyond those of docs/product.md. */
export function MoreOptions({ children }: { children: ReactNode }) {
  return (
    <details className="group">
      <summary className="flex w-fit cursor-pointer list-none items-center gap-1.5 rounded-sm text-sm font-medium text-muted hover:text-ink">
        More options
        <ChevronDown className="shrink-0 size-4 transition-transform group-open:rotate-180" />
      </summary>
      <div className="flex flex-col gap-5 pt-5">{children}</div>
    </details>
  )
}
