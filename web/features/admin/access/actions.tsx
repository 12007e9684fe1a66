import { useMutation } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import * as z from 'zod/mini'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { text } from '#contract/fields.ts'
import { CallDialog } from '#web/api/call-dialog.tsx'
import { call } from '#web/api/client.ts'
import { useCan } from '#web/api/session.ts'
import { toastError, useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { runIfConfirmed } from '#web/ui/confirm.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input, Textarea } from '#web/ui/input.tsx'
import { toast } from '#web/ui/toast.tsx'
import { formatPeople } from '../parts/count.ts'
import { Choice } from '../parts/dialog-parts.tsx'

const toastNothingChanged = () =>
  toast({ title: 'Nothing changed', description: 'Someone else was faster.', destructive: true })

function toastResult(changedCount: number, title: string, description?: string) {
  if (changedCount > 0) toast({ title, description })
  else toastNothingChanged()
}

const toastUnrefunded = (title: string, description: string) =>
  toast({ title, description, destructive: true, stays: true })

export function useAccessActions() {
  const [undoableIds, setUndoableIds] = useState<string[]>([])
  const [isByHand, setIsByHand] = useState(false)
  const unlockOptions = {
    failed: 'Failed to unlock',
    onSuccess: ({ changed }: { changed: number }, { ids }: { ids: string[] }) =>
      changed > 0 ? setUndoableIds(ids) : toastNothingChanged(),
  }
  const unlock = useCall(accessAdmin.grant, unlockOptions)
  const restore = useCall(accessAdmin.restore, unlockOptions)
  const undo = useCall(accessAdmin.undo, {
    failed: 'Failed to undo',
    onSuccess: ({ changed }) => {
      toastResult(changed, 'Undone', 'No email was sent.')
      setUndoableIds([])
    },
  })
  const withhold = useCall(accessAdmin.withhold, {
    failed: 'Failed to remove',
    onSuccess: ({ changed }) => toastResult(changed, 'Access removed', 'The buyer gets an email.'),
  })
  const lock = useCall(accessAdmin.lock, {
    failed: 'Failed to record it',
    onSuccess: ({ changed }) => toastResult(changed, `${formatPeople(changed)} removed`),
  })
  const failed = 'That didn’t work'
  const retry = useCall(accessAdmin.retry, { failed, succeeded: 'Trying again' })
  const retryQuietly = useCall(accessAdmin.retry, { failed, refreshes: [accessAdmin.todo, accessAdmin.counts] })
  const settle = useCall(accessAdmin.settleDeclined, {
    failed,
    onSuccess: ({ problem }, { decision }) => {
      if (problem) toastUnrefunded('Not everything was refunded', problem)
      else toast({ title: decision === 'end' ? 'Subscription ended' : 'Subscription kept' })
    },
  })
  const adopt = useCall(accessAdmin.adopt, { failed, succeeded: 'Managed from here now' })
  return {
    isBusy: [unlock, undo, restore, withhold, lock, retry, retryQuietly, adopt].some(({ isPending }) => isPending),
    unlock(ids: string[]) {
      setIsByHand(false)
      unlock.mutate({ ids })
    },
    /** For people whom the seller added on TradingView; unlocks nothing itself. */
    recordAdded(ids: string[]) {
      setIsByHand(true)
      unlock.mutate({ ids })
    },
    /** For a person whom the seller unlocked on TradingView, in place of the connector. */
    recordUnlockedByHand(id: string) {
      setIsByHand(true)
      unlock.mutate({ ids: [id], byHand: true })
    },
    undo: (ids: string[]) => undo.mutate({ ids }),
    restore(ids: string[], byHand: boolean) {
      setIsByHand(byHand)
      restore.mutate({ ids })
    },
    retry: (id: string) => retry.mutate({ id }),
    async retryAll(ids: string[]) {
      try {
        for (const id of ids) await retryQuietly.mutateAsync({ id })
      } catch {
        // The call has shown the error.
        return
      }
      toast({ title: 'Trying again', description: `For ${formatPeople(ids.length)}.` })
    },
    adopt: (id: string) => adopt.mutate({ id }),
    settleDeclined: (id: string, decision: 'keep' | 'end') => settle.mutate({ id, decision }),
    withhold(id: string, username: string | null) {
      const description = `Remove the access of ${username}? They still pay for it; you can restore it as long as they do. Unless TradingView is connected, remove them there, too.`
      const question = { title: 'Remove access', description, action: 'Remove', destructive: true }
      runIfConfirmed(question, () => withhold.mutate({ ids: [id] }))
    },
    /** For people who no longer pay and whom the seller removed on TradingView. */
    lock(ids: string[], username: string | null) {
      const who = ids.length === 1 ? username : formatPeople(ids.length)
      const description = `Have you removed ${who} from your scripts on TradingView? They get an email.`
      const question = { title: 'Removed on TradingView?', description, action: 'I’ve removed them' }
      runIfConfirmed(question, () => lock.mutate({ ids }))
    },
    undoBar: undoableIds.length > 0 && (
      <UndoBar
        key={undoableIds.join()}
        count={undoableIds.length}
        isByHand={isByHand}
        isPending={undo.isPending}
        onUndo={() => undo.mutate({ ids: undoableIds })}
        onExpired={() => setUndoableIds([])}
      />
    ),
  }
}
export type Actions = ReturnType<typeof useAccessActions>

const undoWindowMs = 60_000

/** The buyer's email is sent once this minute is over. */
function UndoBar(props: {
  count: number
  isByHand: boolean
  isPending: boolean
  onUndo: () => void
  onExpired: () => void
}) {
  const { count, isByHand, isPending, onUndo } = props
  const recorded = count === 1 ? 'Recorded as added' : `${formatPeople(count)} recorded as added`
  const started = count === 1 ? 'Unlocking begins' : `Unlocking ${formatPeople(count)} begins`
  const onExpired = useEffectEvent(props.onExpired)
  useEffect(() => {
    const timer = setTimeout(() => onExpired(), undoWindowMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div role="status" className="flex items-center gap-4 rounded-md bg-accent-soft px-4 py-2 text-sm">
      <p className="mr-auto">
        {isByHand ? `${recorded}. The email goes out in a minute.` : `${started} in a minute. The email follows.`}
      </p>
      <Button size="sm" variant="secondary" pending={isPending} onClick={onUndo}>
        Undo
      </Button>
    </div>
  )
}

const declineForm = z.object({ reason: text(500, 'Please give a reason') })

export function DeclineDialog({ ids, onClose }: { ids: string[]; onClose: () => void }) {
  const [endsSubscription, setEndsSubscription] = useState(false)
  const canRefund = useCan()('money.refund')
  return (
    <CallDialog
      title={ids.length === 1 ? 'Decline access' : `Decline ${formatPeople(ids.length)}`}
      description="The buyer gets the reason by email and can ask again."
      call={accessAdmin.decline}
      // The form has the reason only; the choice below is React state.
      schema={declineForm}
      inputOf={({ reason }) => ({ ids, reason, subscription: endsSubscription ? ('end' as const) : ('keep' as const) })}
      options={{
        failed: 'Failed to decline',
        onSuccess({ changed, problems }) {
          if (problems.length > 0) toastUnrefunded('Declined, but not everything was refunded', problems.join('\n'))
          else toastResult(changed, 'Access declined', `${formatPeople(changed)}: they get the reason by email.`)
        },
      }}
      button={{
        variant: 'danger',
        pendingText: 'Declining...',
        children: endsSubscription && canRefund ? 'Decline, refund and cancel' : 'Decline',
      }}
      onClose={onClose}
    >
      <Field name="reason" label="Reason">
        <Textarea rows={4} maxLength={500} placeholder="This TradingView username does not exist." />
      </Field>
      <fieldset className="flex flex-col gap-3">
        <legend className="pb-2 text-sm font-medium">Their subscription</legend>
        <Choice label="Keep it" checked={!endsSubscription} onChange={() => setEndsSubscription(false)}>
          They go on paying and can ask again, for example with another username.
        </Choice>
        <Choice
          label={canRefund ? 'Refund and cancel it' : 'Ask an admin to refund and cancel it'}
          checked={endsSubscription}
          onChange={() => setEndsSubscription(true)}
        >
          {canRefund
            ? 'The latest payment goes back to their card, and the subscription ends today.'
            : 'An admin finds it in the inbox. Until then they go on paying.'}
        </Choice>
      </fieldset>
    </CallDialog>
  )
}

export function RenameDialog(props: { id: string; username: string | null; onClose: () => void }) {
  const { id, username, onClose } = props
  return (
    <CallDialog
      title="Change username"
      description="The new account is unlocked first, then the old one is removed."
      call={accessAdmin.rename}
      extra={{ id }}
      options={{ succeeded: 'Username changed', failed: 'Failed to change the username' }}
      button={{ pendingText: 'Saving...', children: 'Change' }}
      onClose={onClose}
    >
      <Field name="username" label="TradingView username">
        <Input autoComplete="off" spellCheck={false} defaultValue={username ?? ''} />
      </Field>
    </CallDialog>
  )
}

/** Shows the exchange keys. They are never cached, and are gone once the dialog closes. */
export function ExchangeKeys({ id }: { id: string }) {
  const reveal = useMutation({
    mutationFn: () => call(accessAdmin.reveal, { id }),
    onError: (error) => toastError('Failed to reveal', error),
    gcTime: 0,
  })
  if (!reveal.data)
    return (
      <Button
        size="sm"
        variant="secondary"
        className="self-start"
        pending={reveal.isPending}
        onClick={() => reveal.mutate()}
      >
        Reveal key
      </Button>
    )
  return (
    <dl className="flex w-full flex-col gap-4">
      {[
        ['API key', reveal.data.apiKey],
        ['Secret key', reveal.data.secretKey],
      ].map(([title, value]) => (
        <div key={title} className="flex flex-col gap-1">
          <dt className="text-sm font-medium">{title}</dt>
          <dd className="rounded-md border border-line bg-ground p-3 font-mono text-sm break-all select-all">
            {value}
          </dd>
        </div>
      ))}
    </dl>
  )
}
