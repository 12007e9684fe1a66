import { Trash2 } from 'lucide-react'
import { type Customer, customers } from '#contract/admin/customers.ts'
import { CallButton } from '#web/api/call-button.tsx'
import { useUser } from '#web/api/session.ts'
import { useCall } from '#web/api/use-call.ts'
import { Card } from '#web/ui/card.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Textarea } from '#web/ui/input.tsx'
import { Time } from '#web/ui/time.tsx'

const noteForm = customers.adminAddNote.input

export function Notes({ customer: { id, notes } }: { customer: Customer }) {
  const { user } = useUser()
  const add = useCall(customers.adminAddNote, { succeeded: 'Note added', failed: 'Failed to add the note' })
  const deleteQuestion = {
    title: 'Delete note',
    description: 'Delete this note? This action cannot be undone.',
    action: 'Delete note',
    destructive: true,
  }
  return (
    <Card className="flex flex-col gap-4">
      <h2 className="text-lg">Notes</h2>
      {notes.length === 0 && <p className="text-sm text-muted">No notes yet.</p>}
      <ul className="flex flex-col gap-3 empty:hidden">
        {notes.map((note) => (
          <li key={note.id} className="flex items-start gap-2 rounded-md bg-ground p-3 text-sm">
            <div className="min-w-0 flex-1">
              <p className="break-words whitespace-pre-line">{note.text}</p>
              <p className="mt-1 text-xs text-muted">
                {note.author}, <Time value={note.createdAt} withClock />
              </p>
            </div>
            {(user?.isAdmin || user?.id === note.authorId) && (
              <CallButton
                call={customers.adminDeleteNote}
                input={{ id: note.id }}
                options={{ succeeded: 'Note deleted', failed: 'Failed to delete the note' }}
                question={deleteQuestion}
                variant="ghost"
                size="icon"
                aria-label="Delete note"
                className="-m-1.5 text-muted hover:bg-danger-soft hover:text-danger"
              >
                <Trash2 className="size-4" />
              </CallButton>
            )}
          </li>
        ))}
      </ul>
      <Form
        schema={noteForm}
        extra={{ id }}
        aria-label="Add note"
        resetAfterwards
        className="flex flex-col gap-3"
        onSubmit={(values) => add.mutateAsync(values)}
      >
        <Field name="text" label="New note" isLabelHidden hint="Included if the customer downloads their data.">
          <Textarea rows={2} maxLength={2000} placeholder="New note" className="min-h-18" />
        </Field>
        <SubmitButton size="sm" variant="secondary" pendingText="Adding..." className="self-start">
          Add note
        </SubmitButton>
      </Form>
    </Card>
  )
}
