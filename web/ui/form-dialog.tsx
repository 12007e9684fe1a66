import type { ComponentProps, ReactNode } from 'react'
import { Dialog, DialogButtons } from './dialog.tsx'
import { Form, SubmitButton } from './form.tsx'

/** A dialog that is one form: its fields, a way out, and a button that sends it. */
export function FormDialog<Values>({
  title,
  description,
  className,
  button,
  onClose,
  children,
  ...form
}: Pick<ComponentProps<typeof Form<Values>>, 'schema' | 'extra' | 'onSubmit'> & {
  title: string
  description?: ReactNode
  className?: string
  button: ComponentProps<typeof SubmitButton>
  onClose: () => void
  children: ReactNode
}) {
  return (
    <Dialog title={title} description={description} onClose={onClose} {...(className && { className })}>
      <Form {...form} aria-label={title} className="flex flex-col gap-5">
        {children}
        <DialogButtons onClose={onClose}>
          <SubmitButton {...button} />
        </DialogButtons>
      </Form>
    </Dialog>
  )
}
