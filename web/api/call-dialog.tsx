import type { ComponentProps } from 'react'
import type { Endpoint, InputOf } from '#contract/endpoint.ts'
import * as z from '#contract/zod.ts'
import type { Rules } from '#web/ui/form.tsx'
import { FormDialog } from '#web/ui/form-dialog.tsx'
import { useCall } from './use-call.ts'

type Props<E extends Endpoint, Values> = Omit<ComponentProps<typeof FormDialog>, 'schema' | 'onSubmit'> & {
  call: E
  options: Parameters<typeof useCall<E>>[1]
  /** For a form whose fields are not the call's, with what to send then. */
  schema?: Rules<Values>
  inputOf?: (typed: Values) => InputOf<E>
}

/** The form of one call in a dialog, held to the call's own rules. It closes once that has worked. */
export function CallDialog<E extends Endpoint, Values = InputOf<E>>(props: Props<E, Values>) {
  const { call, options, schema, inputOf, onClose, ...dialog } = props
  const send = useCall(call, {
    ...options,
    onSuccess: async (output, input) => {
      await options.onSuccess?.(output, input)
      onClose()
    },
  })
  return (
    <FormDialog
      {...dialog}
      schema={schema ?? (call.input(z) as Rules<Values>)}
      onSubmit={(typed) => send.mutateAsync(inputOf ? inputOf(typed) : (typed as InputOf<E>))}
      onClose={onClose}
    />
  )
}
