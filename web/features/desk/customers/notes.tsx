import { Trash2 } from 'lucide-react'
import { type Customer, customers } from '#contract/desk/customers.ts'
import * as z from '#contract/zod.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { ask } from '#web/ui/confirm.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Textarea } from '#web/ui/input.tsx'
import { Time } from '#web/ui/time.tsx'

const form = z.object({
  text: z.string().check(z.trim(), z.minLength(1, 'Please write something')),
})

export function Notes({ customer: { id, notes } }: { customer: Customer }) {
  const add = useCall(customers.adminAddNote, { succeeded: 'Note added', failed: 'Failed to add the note' })
  const remove = useCall(customers.adminDeleteNote, {
    succeeded: 'Note deleted',
    failed: 'Failed to delete the note',
  })
  const removal = {
    title: 'Delete note',
    description: 'Delete this note? This action cannot be undone.',
    action: 'Delete note',
    destructive: true,
  }
  return (
    <Card className="flex flex-col gap-4">
      <h2 className="text-lg">Notes</h2>
      {notes.length === 0 && <p className="text-sm text-muted">No notes yet.</p>}
      <ul className="flex flex-col gap-3">
        {notes.map((note) => (
          <li key={note.id} className="flex items-start gap-2 rounded-md bg-ground p-3 text-sm">
            <div className="min-w-0 flex-1">
              <p className="break-words whitespace-pre-line">{note.text}</p>
              <p className="mt-1 text-xs text-muted">
                {note.author}, <Time value={note.createdAt} withClock />
              </p>
            </div>
            <Button
              variant="ghost"
              size="icon"
              aria-label="Delete note"
              className="-m-1.5 text-muted hover:bg-danger-soft hover:text-danger"
              onClick={() => ask(removal, () => remove.mutate({ id: note.id }))}
            >
              <Trash2 className="size-4" />
            </Button>
          </li>
        ))}
      </ul>
      <Form
        schema={form}
        aria-label="Add note"
        resetAfterwards
        className="flex flex-col gap-3"
        onSubmit={({ text }) => add.mutateAsync({ id, text })}
      >
        <Field name="text" label="New note" labelHidden hint="Included if the customer downloads their data.">
          <Textarea rows={2} maxLength={2000} placeholder="New note" className="min-h-18" />
        </Field>
        <SubmitButton size="sm" variant="secondary" pendingText="Adding..." className="self-start">
          Add note
        </SubmitButton>
      </Form>
    </Card>
  )
}
