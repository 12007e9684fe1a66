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
  /** For a form whose fields are not the call's, with what to send then. */
  schema?: Rules<Values>
  inputOf?: (typed: Values) => InputOf<E>
  label: string
  button: ComponentProps<typeof SubmitButton>
  children: ReactNode
  /** What is around the button, such as a dialog's way out, or why the call was refused. */
  renderButton?: (button: ReactNode, error: Error | null) => ReactNode
}

export function CallForm<E extends Endpoint, Values = InputOf<E>>(props: CallFormProps<E, Values>) {
  const { call, options, schema, inputOf, label, button, children, renderButton, ...form } = props
  const send = useCall(call, options)
  const submit = <SubmitButton {...button} />
  return (
    <Form
      schema={schema ?? (call.input as unknown as Rules<Values>)}
      aria-label={label}
      className="flex flex-col gap-5"
      onSubmit={(typed) => send.mutateAsync(inputOf ? inputOf(typed) : (typed as unknown as InputOf<E>))}
      {...form}
    >
      {children}
      {renderButton ? renderButton(submit, send.error) : submit}
    </Form>
  )
}
