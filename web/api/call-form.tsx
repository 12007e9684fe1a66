import type { ComponentProps, ReactNode } from 'react'
import type { Endpoint, InputOf } from '#contract/endpoint.ts'
import { Form, type Rules, SubmitButton } from '#web/ui/form.tsx'
import { useCall } from './use-call.ts'

export type CallFormProps<E extends Endpoint, Values> = Pick<
  ComponentProps<typeof Form<Values>>,
  'extra' | 'action' | 'resetAfterwards' | 'className' | 'onInvalid'
> & {
  call: E
  options: Parameters<typeof useCall<E>>[1]
  /** For a form whose fields differ from the call's input; `inputOf` maps them. */
  schema?: Rules<Values>
  inputOf?: (values: Values) => InputOf<E>
  label: string
  button: ComponentProps<typeof SubmitButton>
  children: ReactNode
  renderButton?: (button: ReactNode, error: Error | null) => ReactNode
}

export function CallForm<E extends Endpoint, Values = InputOf<E>>(props: CallFormProps<E, Values>) {
  const { call, options, schema, inputOf, label, button, children, renderButton, ...form } = props
  const mutation = useCall(call, options)
  const submitButton = <SubmitButton {...button} />
  return (
    <Form
      schema={schema ?? (call.input as unknown as Rules<Values>)}
      aria-label={label}
      className="flex flex-col gap-5"
      onSubmit={(values) => mutation.mutateAsync(inputOf ? inputOf(values) : (values as unknown as InputOf<E>))}
      {...form}
    >
      {children}
      {renderButton ? renderButton(submitButton, mutation.error) : submitButton}
    </Form>
  )
}
