import type { ComponentProps } from 'react'
import { Field } from '#web/ui/form.tsx'
import { FormDialog } from '#web/ui/form-dialog.tsx'
import { Textarea } from '#web/ui/input.tsx'

/** Asks for one text, under the name that its schema gives it, and sends it. */
export function TextDialog<Values>({
  field,
  text,
  ...dialog
}: Omit<ComponentProps<typeof FormDialog<Values>>, 'children'> & {
  field: { name: string; label: string; hint?: string }
  text: ComponentProps<typeof Textarea>
}) {
  return (
    <FormDialog {...dialog}>
      <Field {...field}>
        <Textarea {...text} />
      </Field>
    </FormDialog>
  )
}
