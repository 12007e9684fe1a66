import type { ReactNode } from 'react'
import type { Endpoint, InputOf } from '#contract/endpoint.ts'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { CallForm, type CallFormProps } from './call-form.tsx'

type Props<E extends Endpoint, Values> = Omit<CallFormProps<E, Values>, 'label' | 'renderButton'> & {
  title: string
  description?: ReactNode
  cancel?: string
  onClose: () => void
}

export function CallDialog<E extends Endpoint, Values = InputOf<E>>(props: Props<E, Values>) {
  const { title, description, className, cancel, options, onClose, ...form } = props
  const onSuccess: typeof options.onSuccess = async (output, input) => {
    await options.onSuccess?.(output, input)
    onClose()
  }
  return (
    <Dialog title={title} description={description} onClose={onClose} {...(className && { className })}>
      <CallForm
        label={title}
        options={{ ...options, onSuccess }}
        renderButton={(button) => (
          <DialogButtons onClose={onClose} {...(cancel && { cancel })}>
            {button}
          </DialogButtons>
        )}
        {...form}
      />
    </Dialog>
  )
}
