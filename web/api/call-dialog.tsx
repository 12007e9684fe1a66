import type { ComponentProps, ReactNode } from 'react'
import type { Endpoint, InputOf } from '#contract/endpoint.ts'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { Form, type Rules, SubmitButton } from '#web/ui/form.tsx'
import { checked } from './checked.ts'
import { useCall } from './use-call.ts'

type Props<E extends Endpoint, Values> = {
  title: string
  description?: ReactNode
  className?: string
  call: E
  options: Parameters<typeof useCall<E>>[1]
  /** For a form whose fields are not the call's, with what to send then. */
  schema?: Rules<Values>
  inputOf?: (typed: Values) => InputOf<E>
  extra?: Record<string, unknown>
  button: ComponentProps<typeof SubmitButton>
  /** What the way out says. */
  cancel?: string
  onClose: () => void
  children: ReactNode
}

/** The form of one call in a dialog, held to the call's own rules. It closes once that has worked. */
export function CallDialog<E extends Endpoint, Values = InputOf<E>>(props: Props<E, Values>) {
  const { title, description, className, call, options, schema, inputOf, extra, button, onClose } = props
  const send = useCall(call, {
    ...options,
    onSuccess: async (output, input) => {
      await options.onSuccess?.(output, input)
      onClose()
    },
  })
  return (
    <Dialog title={title} description={description} onClose={onClose} {...(className && { className })}>
      <Form
        schema={schema ?? (checked(call.input) as () => Promise<Rules<Values>>)}
        {...(extra && { extra })}
        aria-label={title}
        className="flex flex-col gap-5"
        onSubmit={(typed) => send.mutateAsync(inputOf ? inputOf(typed) : (typed as InputOf<E>))}
      >
        {props.children}
        <DialogButtons onClose={onClose} {...(props.cancel && { cancel: props.cancel })}>
          <SubmitButton {...button} />
        </DialogButtons>
      </Form>
    </Dialog>
  )
}
