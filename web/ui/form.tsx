import {
  type ComponentProps,
  createContext,
  type FormEvent,
  type ReactNode,
  use,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { FieldContext } from './input.tsx'

type Errors = Record<string, string>
/** Subset of a zod schema that a form needs. */
export type Rules<Values> = {
  safeParse: (
    values: unknown,
  ) =>
    | { success: true; data: Values }
    | { success: false; error: { issues: { path: PropertyKey[]; message: string }[] } }
}
type FormState = { errors: Partial<Errors>; pending: boolean }
type RefusedForm = { action: string; values: Record<string, string> }

const FormContext = createContext<FormState & { refusedValues: RefusedForm['values'] }>({
  errors: {},
  pending: false,
  refusedValues: {},
})

/** Set if this page is the answer to a form that was posted without scripts and refused. */
export const RefusedFormContext = createContext<RefusedForm | null>(null)

const noValues = {}

/** Values that were posted to `action` without scripts and refused, so that the form shows them again. Else none. */
export function useRefusedValues(action: string | undefined): RefusedForm['values'] {
  const refusedForm = use(RefusedFormContext)
  const [actionWithoutHash] = action?.split('#') ?? []
  return refusedForm && refusedForm.action === actionWithoutHash ? refusedForm.values : noValues
}

export const useRefusedValue = (name: string) => use(FormContext).refusedValues[name]

/** Native form. The schema checks fields on submit; an error disappears once its field is valid. */
export function Form<Values>(props: {
  schema: Rules<Values>
  onSubmit: (values: Values, form: HTMLFormElement) => Promise<unknown>
  onInvalid?: (errors: Errors, values: Record<string, unknown>) => void
  /** Values that no native field holds, such as an id. */
  extra?: Record<string, unknown>
  resetAfterwards?: boolean
  /** Target of a plain post before scripts load; defaults to the page's own address. */
  action?: string
  className?: string
  'aria-label'?: string
  children: ReactNode
}) {
  const { schema, onSubmit, onInvalid, extra, resetAfterwards, children, ...rest } = props
  const ref = useRef<HTMLFormElement>(null)
  const isSubmitting = useRef(false)
  const [state, setState] = useState<FormState>({ errors: {}, pending: false })

  const refusedValues = useRefusedValues(props.action)
  const context = useMemo(() => ({ ...state, refusedValues }), [state, refusedValues])
  const [failureCount, setFailureCount] = useState(0)
  // Each failure moves the focus, also if the errors are the same as before.
  useEffect(() => {
    if (failureCount > 0) ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [failureCount])

  function showErrors(errors: Errors) {
    setState({ errors, pending: false })
    setFailureCount((count) => count + 1)
  }

  function readValues(form: HTMLFormElement) {
    const values = { ...Object.fromEntries(new FormData(form)), ...extra }
    return { values, parsed: schema.safeParse(values) }
  }

  /** Updates the field's error while typing. */
  function recheckField(form: HTMLFormElement, name: string) {
    if (!state.errors[name]) return
    const { parsed } = readValues(form)
    // Values of `extra` change one render later, so their error is removed without a check.
    const isAccepted = parsed.success || (extra && name in extra)
    const error = isAccepted ? undefined : firstErrorByField(parsed.error.issues)[name]
    setState((current) => ({ ...current, errors: { ...current.errors, [name]: error } }))
  }

  async function submit(form: HTMLFormElement) {
    isSubmitting.current = true
    try {
      const { values, parsed } = readValues(form)
      if (!parsed.success) {
        const errors = firstErrorByField(parsed.error.issues)
        showErrors(errors)
        onInvalid?.(errors, values)
        return
      }
      setState({ errors: {}, pending: true })
      await onSubmit(parsed.data, form)
      if (resetAfterwards) form.reset()
      setState({ errors: {}, pending: false })
    } catch (error) {
      showErrors(fieldErrorsOf(error))
    } finally {
      isSubmitting.current = false
    }
  }

  return (
    <FormContext value={context}>
      <form
        ref={ref}
        // A form submitted before hydration must not put its values into the URL.
        method="post"
        noValidate
        onSubmit={(event: FormEvent<HTMLFormElement>) => {
          event.preventDefault()
          if (!isSubmitting.current) void submit(event.currentTarget)
        }}
        onInput={({ currentTarget, target }) => {
          recheckField(currentTarget, (target as HTMLInputElement).name)
        }}
        {...rest}
      >
        {children}
      </form>
    </FormContext>
  )
}

/** Reads `fields` of an `ApiError`, which this layer may not import. */
function fieldErrorsOf(error: unknown): Errors {
  return error instanceof Error && 'fields' in error ? (error.fields as Errors) : {}
}

function firstErrorByField(issues: { path: PropertyKey[]; message: string }[]) {
  const errors: Errors = {}
  for (const { path, message } of issues) errors[String(path[0])] ??= message
  return errors
}

export function SubmitButton(props: ComponentProps<typeof Button>) {
  return <Button type="submit" pending={use(FormContext).pending} {...props} />
}

export function Field(props: {
  name: string
  label: ReactNode
  hint?: ReactNode
  isLabelHidden?: boolean
  className?: string
  children: ReactNode
}) {
  const { name, label, hint, isLabelHidden, className, children } = props
  const id = useId()
  const { errors, refusedValues } = use(FormContext)
  const error = errors[name]
  const refusedValue = refusedValues[name]
  const describedBy = classes(error && `${id}-error`, hint ? `${id}-hint` : null)
  const control = useMemo(
    () => ({
      id,
      name,
      'aria-invalid': error ? true : undefined,
      'aria-describedby': describedBy || undefined,
      refusedValue,
    }),
    [id, name, error, describedBy, refusedValue],
  )
  return (
    <div className={classes('flex flex-col gap-1.5', className)}>
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'text-sm font-medium'}>
        {label}
      </label>
      <FieldContext value={control}>{children}</FieldContext>
      {error && (
        <p id={`${id}-error`} className="text-sm font-medium text-danger">
          {error}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
    </div>
  )
}
