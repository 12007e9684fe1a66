import * as z from 'zod/mini'
import { exactDollars } from '#contract/money.ts'
import { type ManagedPurchase, type Purchase, purchases } from '#contract/selling/purchases.ts'
import { hasEnded, isExtendable } from '#contract/statuses.ts'
import { CallDialog } from '#web/api/call-dialog.tsx'
import { useIsAdmin } from '#web/api/session.ts'
import { useCall } from '#web/api/use-call.ts'
import { Field } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { toast } from '#web/ui/toast.tsx'
import type { RowAction } from '../parts/row-menu.tsx'
import { CancelDialog } from './cancel-dialog.tsx'
import { RefundDialog } from './refund-dialog.tsx'

const retried = {
  done: 'Payment successful!',
  processing: 'The payment is being processed',
  'awaits-bank': 'Their bank wants them to confirm it. Send a pay link.',
}

export function usePurchaseActions() {
  const isAdmin = useIsAdmin()
  const remove = useCall(purchases.adminDelete, {
    succeeded: 'Purchase deleted successfully',
    failed: 'Failed to delete purchase',
  })
  const settleWarning = useCall(purchases.adminSettleWarning, {
    succeeded: 'Fraud warning settled',
    failed: 'Failed to settle the fraud warning',
  })
  const settleRefunds = useCall(purchases.adminSettleRefunds, {
    succeeded: 'Noted as paid back',
    failed: 'Failed to note the payment',
  })
  const keepAfterLoss = useCall(purchases.adminKeepAfterLoss, {
    succeeded: 'Subscription kept',
    failed: 'Failed to keep the subscription',
  })
  const resume = useCall(purchases.adminResume, {
    succeeded: { title: 'Cancellation undone', description: 'The buyer gets an email.' },
    failed: 'Failed to undo the cancellation',
  })
  const retry = useCall(purchases.adminRetryPayment, {
    failed: 'The payment failed again',
    onSuccess: ({ state }) => toast({ title: retried[state], destructive: state === 'awaits-bank' }),
  })
  const sendLink = useCall(purchases.adminSendPayLink, {
    succeeded: { title: 'Link sent', description: 'They can pay without logging in.' },
    failed: 'Failed to send the link',
  })

  return (purchase: ManagedPurchase): (RowAction | false)[] => {
    const { id, user, status, paidThrough, endedBecause, isWarned, isDisputed, failedRefunds } = purchase
    const opens = (Dialog: typeof CancelDialog) => (close: () => void) => <Dialog purchase={purchase} onClose={close} />
    const mayRefund = paidThrough === 'stripe' && endedBecause !== 'refunded' && !isWarned && !isDisputed
    // Support cancels, and does no more.
    const cancel = status === 'active' && { text: 'Cancel', renderDialog: opens(CancelDialog), isDangerous: true }
    if (!isAdmin) return [cancel]
    return [
      isWarned && { text: 'Keep, it’s no fraud', do: () => settleWarning.mutate({ id, decision: 'dismiss' }) },
      purchase.lostAmount > purchase.lostAndKept &&
        !hasEnded(status) && {
          text: 'Keep after lost dispute',
          do: () => keepAfterLoss.mutate({ id, amount: purchase.lostAmount }),
        },
      failedRefunds > 0 && {
        text: 'Paid another way',
        asks: {
          title: 'Paid back another way',
          description: `Have you sent ${exactDollars(failedRefunds)} to ${user.email} another way, for example by bank transfer? The shop sends no money.`,
          action: 'Yes, it is paid back',
        },
        do: () => settleRefunds.mutate({ id, amount: failedRefunds }),
      },
      status === 'past_due' && { text: 'Retry payment', do: () => retry.mutate({ id }) },
      status === 'past_due' && { text: 'Send pay link', do: () => sendLink.mutate({ id }) },
      status === 'pending_cancel' && { text: 'Undo cancellation', do: () => resume.mutate({ id }) },
      isExtendable(purchase) && { text: 'Extend', renderDialog: opens(ExtendDialog) },
      isWarned && {
        text: 'Refund and end',
        do: () => settleWarning.mutate({ id, decision: 'refund' }),
        isDangerous: true,
      },
      mayRefund && { text: 'Refund', renderDialog: opens(RefundDialog), isDangerous: true },
      cancel || (!hasEnded(status) && { text: 'End now', renderDialog: opens(CancelDialog), isDangerous: true }),
      {
        text: 'Delete purchase',
        asks: {
          title: 'Delete purchase',
          description: `Permanently delete purchase for ${user.email}? This action cannot be undone.`,
          effect: hasEnded(status)
            ? 'The sale leaves the lists and the exports; past figures stay.'
            : 'The subscription ends today, and nothing is refunded. The sale leaves the lists and the exports; past figures stay. To keep it there, cancel it instead.',
          action: 'Delete purchase',
        },
        do: () => remove.mutate({ id }),
        isDangerous: true,
      },
    ]
  }
}

const form = z.object({ until: z.string().check(z.minLength(1, 'Please choose a day')) })
const day = 86_400_000
const isoDay = (at: number) => new Date(at).toISOString().slice(0, 10)

/** Suggests two weeks, the usual compensation. */
function ExtendDialog({ purchase, onClose }: { purchase: Purchase; onClose: () => void }) {
  const present = Date.parse(purchase.endsAt ?? purchase.currentPeriodEnd ?? purchase.createdAt)
  return (
    <CallDialog
      title="Extend"
      description="Add free time. The next charge (or the end) moves to this date."
      call={purchases.adminExtend}
      schema={form}
      inputOf={({ until }) => ({ id: purchase.id, until })}
      options={{
        succeeded: { title: 'Extended', description: 'The buyer gets an email.' },
        failed: 'Failed to extend',
      }}
      button={{ pendingText: 'Extending...', children: 'Extend' }}
      onClose={onClose}
    >
      <Field name="until" label="Extend to" hint="UTC">
        <Input type="date" required min={isoDay(present)} defaultValue={isoDay(present + 14 * day)} />
      </Field>
    </CallDialog>
  )
}
