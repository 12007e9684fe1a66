import { useState } from 'react'
import { type AdminNewsletter, newsletters } from '#contract/site/newsletters.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { runIfConfirmed } from '#web/ui/confirm.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { toast } from '#web/ui/toast.tsx'
import type { UnsavedChanges } from '#web/ui/use-unsaved-changes.ts'
import { formatCount, formatNumber } from '../parts/count.ts'

export const formatAddresses = (count: number) => formatCount(count, 'address', 'addresses')

export const MissingRequirements = ({ missing }: Pick<AdminNewsletter, 'missing'>) =>
  missing.length > 0 && (
    <Notice tone="warning">
      <p className="font-medium">It can’t be sent yet. Missing:</p>
      <ul className="list-disc pl-5">
        {missing.map((requirement) => (
          <li key={requirement}>{requirement.replaceAll('`', '')}</li>
        ))}
      </ul>
    </Notice>
  )

function UnreachedCustomers({ untold, objected, refused, bySeller }: AdminNewsletter['unreachable']) {
  const count = untold + objected + refused + bySeller
  if (count === 0) return null
  const reasons: string[] = []
  if (untold > 0)
    reasons.push(`${formatNumber(untold)} were never asked at the checkout or have not confirmed their address`)
  if (objected > 0) reasons.push(`${formatNumber(objected)} don’t want news`)
  if (refused > 0) reasons.push(`${formatNumber(refused)} can’t be reached by email`)
  if (bySeller > 0) reasons.push(`${formatNumber(bySeller)} are marked “Do not email”`)
  return (
    <p className="text-sm text-muted">
      {formatCount(count, 'customer does', 'customers do')} not get it: {reasons.join(', ')}. What their contract needs
      can go to all of them as a{' '}
      <Link href="/admin/messages/service" className="underline underline-offset-4">
        service message
      </Link>
      .
    </p>
  )
}

export function SendCard(props: { newsletter: AdminNewsletter; unsaved: UnsavedChanges }) {
  const { newsletter, unsaved } = props
  const { id, version, subject, audience, missing } = newsletter
  const [localTime, setLocalTime] = useState('')
  const sendTest = useCall(newsletters.adminTest, {
    // Keeps the known version, so that saving reports a conflict with another admin.
    refreshes: [],
    succeeded: 'Test sent to you',
    failed: 'Failed to send the test',
  })
  const send = useCall(newsletters.adminSend, {
    succeeded: localTime ? 'Newsletter scheduled' : 'Newsletter on its way',
    failed: 'Failed to send the newsletter',
  })

  /** Unsaved text is not sent, so it must be saved first. */
  function runIfSaved(action: () => void) {
    if (unsaved.isUnsaved()) toast({ title: 'Save the draft first', destructive: true })
    else action()
  }

  function confirmAndSend() {
    const when = localTime ? `on ${new Date(localTime).toLocaleString()}` : 'now'
    const question = {
      title: localTime ? 'Schedule newsletter' : 'Send newsletter',
      description: `“${subject}” goes to ${formatAddresses(audience)} ${when}. It can’t be changed afterward.`,
      action: localTime ? 'Schedule' : `Send to ${formatAddresses(audience)}`,
    }
    const schedule = localTime ? { at: new Date(localTime).toISOString() } : {}
    runIfConfirmed(question, () => send.mutate({ id, version, ...schedule }))
  }

  return (
    <Card className="flex flex-col gap-5">
      <h2 className="text-lg">Send</h2>
      <p>
        The saved version goes to <strong className="font-semibold">{formatAddresses(audience)}</strong>.
      </p>
      <UnreachedCustomers {...newsletter.unreachable} />
      <MissingRequirements missing={missing} />
      <Field name="at" label="Send later (optional)" hint="In your time zone. Leave it empty to send now.">
        <Input type="datetime-local" value={localTime} onChange={({ target }) => setLocalTime(target.value)} />
      </Field>
      <div className="flex justify-end gap-3 max-sm:flex-col-reverse">
        <Button
          variant="secondary"
          pending={sendTest.isPending}
          onClick={() => runIfSaved(() => sendTest.mutate({ id }))}
        >
          Send a test to me
        </Button>
        <Button
          pending={send.isPending}
          disabled={missing.length > 0 || audience === 0}
          onClick={() => runIfSaved(confirmAndSend)}
        >
          {localTime ? 'Schedule' : 'Send now'}
        </Button>
      </div>
    </Card>
  )
}
