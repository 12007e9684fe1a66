import { useState } from 'react'
import { type Message, messages } from '#contract/site/messages.ts'
import { messageStates } from '#contract/statuses.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Textarea } from '#web/ui/input.tsx'
import { Badge } from '#web/ui/notice.tsx'
import { Cell } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { CustomerLink } from '../customers/customer-link.tsx'
import { RecordList } from '../lists/record-list.tsx'
import { DayCell, hiddenActions } from '../lists/record-table.tsx'

export default function Messages() {
  const [openMessage, setOpenMessage] = useState<Message | null>(null)
  return (
    <>
      <RecordList
        label="Messages"
        noun={['message', 'messages']}
        columns={['From', 'Message', 'State', 'Received', hiddenActions]}
        list={messages.adminList}
        search="Search messages..."
        filters={{
          state: { label: 'State', all: 'All messages', options: messageStates.map((state) => [state, state]) },
        }}
        chips={{ customerId: () => 'From one customer' }}
        none={{
          title: 'No messages yet',
          description: 'Messages from the contact form appear here. You reply by email.',
        }}
        renderRow={(message) => <MessageCells message={message} onOpen={() => setOpenMessage(message)} />}
      />
      {openMessage && <MessageDialog message={openMessage} onClose={() => setOpenMessage(null)} />}
    </>
  )
}

function MessageCells({ message, onOpen }: { message: Message; onOpen: () => void }) {
  const name = `${message.firstName} ${message.lastName}`
  return (
    <>
      <Cell className="max-w-56">
        {message.customerId ? (
          <CustomerLink id={message.customerId} title={name}>
            {name}
          </CustomerLink>
        ) : (
          <span className="block truncate font-medium" title={name}>
            {name}
          </span>
        )}
        <span className="block truncate text-muted" title={message.email}>
          {message.email}
        </span>
      </Cell>
      <Cell className="max-w-96">
        <span className="line-clamp-2 break-words">{message.message}</span>
      </Cell>
      <Cell label="State">{message.answeredAt ? <Badge>answered</Badge> : <Badge tone="warning">open</Badge>}</Cell>
      <DayCell label="Received" value={message.createdAt} />
      <Cell className="py-1.5 text-right">
        <Button variant={message.answeredAt ? 'ghost' : 'secondary'} size="sm" onClick={onOpen}>
          {message.answeredAt ? 'Read' : 'Reply'}
          <span className="sr-only"> {name}</span>
        </Button>
      </Cell>
    </>
  )
}

const schema = messages.adminReply.input

function MessageDialog({ message, onClose }: { message: Message; onClose: () => void }) {
  const { id, firstName, lastName, email, createdAt, answeredAt, answeredBy, answer } = message
  const reply = useCall(messages.adminReply, {
    succeeded: { title: 'Reply sent', description: `${email} gets it by email.` },
    failed: 'Failed to send the reply',
    onSuccess: onClose,
  })
  const setState = useCall(messages.adminSettle, {
    succeeded: answeredAt ? 'Marked as open' : 'Marked as answered',
    failed: 'Failed to change the message',
    onSuccess: onClose,
  })
  return (
    <Dialog
      title={`${firstName} ${lastName}`}
      description={<Time before={`${email},`} value={createdAt} />}
      onClose={onClose}
      className="max-w-xl"
    >
      <blockquote className="max-h-60 overflow-y-auto border-l-3 border-accent pl-4 break-words whitespace-pre-wrap">
        {message.message}
      </blockquote>
      {answeredAt ? (
        <section aria-label="Reply" className="flex flex-col gap-2">
          <p className="text-sm text-muted">
            Answered on <Time value={answeredAt} />
            {answeredBy && ` by ${answeredBy}`}
            {!answer && ', outside the shop'}
          </p>
          {answer && <p className="max-h-60 overflow-y-auto break-words whitespace-pre-wrap">{answer}</p>}
          <Button
            variant="secondary"
            className="sm:self-end"
            pending={setState.isPending}
            onClick={() => setState.mutate({ id, state: 'open' })}
          >
            Mark as open
          </Button>
        </section>
      ) : (
        <Form
          schema={schema}
          extra={{ id }}
          aria-label="Reply"
          className="flex flex-col gap-4"
          onSubmit={(values) => reply.mutateAsync(values)}
        >
          <Field
            name="answer"
            label="Your reply"
            hint="We add a greeting and quote their message. Replies go to your support inbox."
          >
            <Textarea required maxLength={5000} rows={6} defaultValue={answer ?? ''} />
          </Field>
          <div className="flex justify-end gap-3 max-sm:flex-col-reverse">
            <Button
              variant="secondary"
              pending={setState.isPending}
              onClick={() => setState.mutate({ id, state: 'answered' })}
            >
              Mark as answered
            </Button>
            <SubmitButton pendingText="Sending...">Send reply</SubmitButton>
          </div>
        </Form>
      )}
    </Dialog>
  )
}
