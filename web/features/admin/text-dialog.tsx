import type { ComponentProps } from 'react'
import { Dialog } from '#web/ui/dialog.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Textarea } from '#web/ui/input.tsx'
import { DialogButtons } from './dialog-buttons.tsx'

/** Asks for one text, under the name that its schema gives it, and sends it. */
export function TextDialog<Values>(props: {
  title: string
  description?: string
  schema: ComponentProps<typeof Form<Values>>['schema']
  field: { name: string; label: string; hint?: string }
  text: ComponentProps<typeof Textarea>
  button: ComponentProps<typeof SubmitButton>
  onSubmit: (values: Values) => Promise<unknown>
  onClose: () => void
}) {
  const { title, description, schema, field, text, button, onSubmit, onClose } = props
  return (
    <Dialog title={title} {...(description ? { description } : {})} onClose={onClose}>
      <Form schema={schema} aria-label={title} className="flex flex-col gap-5" onSubmit={onSubmit}>
        <Field {...field}>
          <Textarea {...text} />
        </Field>
        <DialogButtons onClose={onClose}>
          <SubmitButton {...button} />
        </DialogButtons>
      </Form>
    </Dialog>
  )
}
