import { customers } from '#contract/desk/customers.ts'
import { type Message, messages } from '#contract/site/messages.ts'
import * as z from '#contract/zod.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Textarea } from '#web/ui/input.tsx'
import { Time } from '#web/ui/time.tsx'
import { useRowCall } from '../lists/use-pages.ts'

const schema = messages.adminReply.input(z)

export function MessageDialog({ message, onClose }: { message: Message; onClose: () => void }) {
  const { id, firstName, lastName, email, createdAt, answeredAt, answeredBy, answer } = message
  const changing = { list: messages.adminList, refreshes: [customers.adminShow], onSuccess: onClose }
  const reply = useRowCall(messages.adminReply, {
    ...changing,
    succeeded: { title: 'Answer sent', description: `${email} gets it by email.` },
    failed: 'Failed to send the answer',
  })
  const settle = useRowCall(messages.adminSettle, {
    ...changing,
    succeeded: answeredAt ? 'Marked as open' : 'Marked as answered',
    failed: 'Failed to change the message',
  })
  return (
    <Dialog
      title={`${firstName} ${lastName}`}
      description={
        <>
          {email}, <Time value={createdAt} />
        </>
      }
      onClose={onClose}
      className="max-w-xl"
    >
      <blockquote className="max-h-60 overflow-y-auto border-l-3 border-accent pl-4 break-words whitespace-pre-wrap">
        {message.message}
      </blockquote>
      {answeredAt ? (
        <section aria-label="Answer" className="flex flex-col gap-2">
          <p className="text-sm text-muted">
            Answered on <Time value={answeredAt} />
            {answeredBy && ` by ${answeredBy}`}
            {!answer && ', not from here'}
          </p>
          {answer && <p className="max-h-60 overflow-y-auto break-words whitespace-pre-wrap">{answer}</p>}
          <Button
            variant="secondary"
            className="sm:self-end"
            pending={settle.isPending}
            onClick={() => settle.mutate({ id, state: 'open' })}
          >
            Mark as open
          </Button>
        </section>
      ) : (
        <Form
          schema={schema}
          extra={{ id }}
          aria-label="Answer"
          className="flex flex-col gap-4"
          onSubmit={(typed) => reply.mutateAsync(typed)}
        >
          <Field
            name="answer"
            label="Your answer"
            hint="Sent with a greeting and their message. Their reply reaches your support address."
          >
            <Textarea required maxLength={5000} rows={6} defaultValue={answer ?? ''} />
          </Field>
          <div className="flex justify-end gap-3 max-sm:flex-col-reverse">
            <Button
              variant="secondary"
              pending={settle.isPending}
              onClick={() => settle.mutate({ id, state: 'answered' })}
            >
              Mark as answered
            </Button>
            <SubmitButton pendingText="Sending...">Send answer</SubmitButton>
          </div>
        </Form>
      )}
    </Dialog>
  )
}
