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

export const addresses = (count: number) => formatCount(count, 'address', 'addresses')

export const Missing = ({ missing }: Pick<AdminNewsletter, 'missing'>) =>
  missing.length > 0 && (
    <Notice tone="warning">
      <p className="font-medium">It can’t be sent yet. Missing:</p>
      <ul className="list-disc pl-5">
        {missing.map((what) => (
          <li key={what}>{what.replaceAll('`', '')}</li>
        ))}
      </ul>
    </Notice>
  )

/** How many customers a newsletter leaves out, and why. */
function NotReached({ untold, objected, refused, bySeller }: AdminNewsletter['unreachable']) {
  const count = untold + objected + refused + bySeller
  if (count === 0) return null
  const reasons = [
    untold > 0 && `${formatNumber(untold)} were never asked at the checkout or have not confirmed their address`,
    objected > 0 && `${formatNumber(objected)} don’t want news`,
    refused > 0 && `${formatNumber(refused)} can’t be reached by email`,
    bySeller > 0 && `${formatNumber(bySeller)} are marked “Do not email”`,
  ].filter((reason) => reason !== false)
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
  const [at, setAt] = useState('')
  const test = useCall(newsletters.adminTest, {
    // Keeps the known version, so that saving reports a conflict with another admin.
    refreshes: [],
    succeeded: 'Test sent to you',
    failed: 'Failed to send the test',
  })
  const send = useCall(newsletters.adminSend, {
    succeeded: at ? 'Newsletter scheduled' : 'Newsletter on its way',
    failed: 'Failed to send the newsletter',
  })

  /** UnsavedChanges text would not be sent. */
  const warnIfUnsaved = () => {
    if (unsaved.isUnsaved()) toast({ title: 'Save the draft first', destructive: true })
    return !unsaved.isUnsaved()
  }

  function askAndSend() {
    if (!warnIfUnsaved()) return
    const time = at && new Date(at).toLocaleString()
    const question = {
      title: at ? 'Schedule newsletter' : 'Send newsletter',
      description: `“${subject}” goes to ${addresses(audience)}${time ? ` on ${time}` : ' now'}. It can’t be changed afterward.`,
      action: at ? 'Schedule' : `Send to ${addresses(audience)}`,
    }
    runIfConfirmed(question, () => send.mutate({ id, version, ...(at && { at: new Date(at).toISOString() }) }))
  }

  return (
    <Card className="flex flex-col gap-5">
      <h2 className="text-lg">Send</h2>
      <p>
        The saved version goes to <strong className="font-semibold">{addresses(audience)}</strong>.
      </p>
      <NotReached {...newsletter.unreachable} />
      <Missing missing={missing} />
      <Field name="at" label="Send later (optional)" hint="In your time zone. Leave it empty to send now.">
        <Input type="datetime-local" value={at} onChange={({ target }) => setAt(target.value)} />
      </Field>
      <div className="flex justify-end gap-3 max-sm:flex-col-reverse">
        <Button variant="secondary" pending={test.isPending} onClick={() => warnIfUnsaved() && test.mutate({ id })}>
          Send a test to me
        </Button>
        <Button pending={send.isPending} disabled={missing.length > 0 || audience === 0} onClick={askAndSend}>
          {at ? 'Schedule' : 'Send now'}
        </Button>
      </div>
    </Card>
  )
}
