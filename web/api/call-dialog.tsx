import type { ComponentProps } from 'react'
import type { Endpoint, InputOf } from '#contract/endpoint.ts'
import * as z from '#contract/zod.ts'
import { FormDialog } from '#web/ui/form-dialog.tsx'
import { useCall } from './use-call.ts'

type Props<E extends Endpoint> = Omit<ComponentProps<typeof FormDialog>, 'schema' | 'onSubmit'> & {
  call: E
  options: Parameters<typeof useCall<E>>[1]
}

/** The form of one call in a dialog, held to the call's own rules. It closes once that has worked. */
export function CallDialog<E extends Endpoint>({ call, options, onClose, ...dialog }: Props<E>) {
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
      schema={call.input(z)}
      onSubmit={(typed) => send.mutateAsync(typed as InputOf<E>)}
      onClose={onClose}
    />
  )
}
