import { ChevronDown } from 'lucide-react'
import { type ComponentProps, createContext, use } from 'react'
import { classes } from './classes.ts'

type FieldControl = {
  id: string
  name: string
  'aria-invalid': boolean | undefined
  'aria-describedby': string | undefined
  /** Value typed into the field of a refused form; replaces the default value. */
  refusedValue: string | undefined
}

export const FieldContext = createContext<FieldControl | null>(null)

function useField() {
  const { refusedValue, ...control }: Partial<FieldControl> = use(FieldContext) ?? {}
  return { control, refill: refusedValue === undefined ? {} : { defaultValue: refusedValue } }
}

const boxClasses =
  'w-full rounded-md border border-field bg-surface px-3.5 text-ink transition-[border-color,box-shadow] placeholder:text-muted hover:border-muted focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0 disabled:opacity-55 aria-invalid:border-danger aria-invalid:outline-danger'

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  const { control, refill } = useField()
  return <input {...control} {...rest} {...refill} className={classes(boxClasses, 'h-11', className)} />
}

export function Textarea({ className, rows = 5, ...rest }: ComponentProps<'textarea'>) {
  const { control, refill } = useField()
  return (
    <textarea
      {...control}
      rows={rows}
      {...rest}
      {...refill}
      className={classes(boxClasses, 'min-h-24 py-2.5', className)}
    />
  )
}

export type Options = readonly (readonly [value: string, text: string | undefined])[]

/** Native, because that is best on phones and for screen readers. */
export function Select({ className, options, children, ...rest }: ComponentProps<'select'> & { options?: Options }) {
  const { control } = useField()
  return (
    <span className="relative block">
      <select
        {...control}
        {...rest}
        className={classes(boxClasses, 'h-11 cursor-pointer appearance-none truncate pr-10', className)}
      >
        {children}
        {options?.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      <ChevronDown className="pointer-events-none absolute top-1/2 right-3.5 size-4 -translate-y-1/2 text-muted" />
    </span>
  )
}
