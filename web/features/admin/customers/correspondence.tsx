import { Mail } from 'lucide-react'
import { type Customer, customers } from '#contract/admin/customers.ts'
import { type Message, messages } from '#contract/site/messages.ts'
import { CallDialog } from '#web/api/call-dialog.tsx'
import { useCan } from '#web/api/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, Pending } from '#web/ui/card.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input, Textarea } from '#web/ui/input.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { Time } from '#web/ui/time.tsx'
import { usePages } from '../lists/record-table.tsx'
import { useLinkedAction } from './use-linked-action.ts'

export function WriteButton({ customer: { id, email } }: { customer: Customer }) {
  const [action, setAction] = useLinkedAction()
  const canWrite = useCan()('customers.help')
  const close = () => setAction(undefined)
  if (!canWrite) return null
  return (
    <>
      <Button variant="secondary" size="sm" onClick={() => setAction('write')}>
        <Mail className="size-4" />
        Write
      </Button>
      {action === 'write' && (
        <CallDialog
          title={`Write to ${email}`}
          description="We add a greeting. Answers reach your support address."
          call={customers.adminWrite}
          extra={{ id }}
          options={{ succeeded: { title: 'Sent', description: `To ${email}` }, failed: 'Failed to send it' }}
          button={{ pendingText: 'Sending...', children: 'Send' }}
          onClose={close}
        >
          <Field name="subject" label="Subject">
            <Input required maxLength={150} autoComplete="off" />
          </Field>
          <Field name="text" label="Message">
            <Textarea required maxLength={5000} rows={7} />
          </Field>
        </CallDialog>
      )}
    </>
  )
}

export function Thread({ id }: { id: string }) {
  const canRead = useCan()('customers.help')
  return canRead ? <MessageCard id={id} /> : null
}

function MessageCard({ id }: { id: string }) {
  const query = usePages(messages.adminList, { customerId: id })
  const customerMessages = query.data?.pages.flatMap(({ items }) => items).toReversed() ?? []
  if (query.isSuccess && customerMessages.length === 0) return null
  return (
    <Card className="flex flex-col gap-4">
      <h2 className="text-lg">Messages</h2>
      {!query.data && <Pending query={query} className="h-24" />}
      <ol aria-label="Messages" className="flex max-h-96 flex-col gap-3 overflow-y-auto text-sm">
        {customerMessages.map((message) => (
          <MessageWithAnswer key={message.id} message={message} customerId={id} />
        ))}
      </ol>
    </Card>
  )
}

const bubbleClasses = 'rounded-md px-3 py-2 break-words whitespace-pre-wrap'

function MessageWithAnswer({ message, customerId }: { message: Message; customerId: string }) {
  const { createdAt, answeredAt, answer, answeredBy } = message
  return (
    <li className="flex flex-col gap-2">
      <p className={`${bubbleClasses} mr-6 bg-ground`}>
        {message.message}
        <span className="block pt-1 text-xs text-muted">
          <Time value={createdAt} withClock />
        </span>
      </p>
      {answer && (
        <p className={`${bubbleClasses} ml-6 bg-accent-soft`}>
          {answer}
          <span className="block pt-1 text-xs text-muted">
            {answeredBy && `${answeredBy}, `}
            <Time value={answeredAt} withClock />
          </span>
        </p>
      )}
      {!answeredAt && (
        <Link
          href={`/admin/messages?customerId=${customerId}&state=open`}
          className="self-end font-medium text-accent-strong underline underline-offset-4"
        >
          Answer it
        </Link>
      )}
    </li>
  )
}
