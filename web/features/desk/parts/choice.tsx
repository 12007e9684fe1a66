import { type ComponentProps, useId } from 'react'

/** One of several ways to do something, with what it does. */
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
