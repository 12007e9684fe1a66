import * as z from 'zod/mini'
import { dayMs } from '#contract/dates.ts'
import { exactDollars } from '#contract/money.ts'
import { type Purchase } from '#contract/selling/purchases.ts'
import { type ManagedPurchase, purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { hasEnded, isExtendable } from '#contract/statuses.ts'
import { CallDialog } from '#web/api/call-dialog.tsx'
import { useCall } from '#web/api/use-call.ts'
import { Field } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { toast } from '#web/ui/toast.tsx'
import type { RowAction } from '../parts/row-menu.tsx'
import { CancelDialog } from './cancel-dialog.tsx'
import { RefundDialog } from './refund-dialog.tsx'

const retryTexts = {
  done: 'Payment successful!',
  processing: 'The payment is being processed',
  'awaits-bank': 'Their bank wants them to confirm it. Send a pay link.',
}

export function usePurchaseActions() {
  const remove = useCall(purchasesAdmin.delete, {
    succeeded: 'Purchase deleted successfully',
    failed: 'Failed to delete purchase',
  })
  const settleWarning = useCall(purchasesAdmin.settleWarning, {
    succeeded: 'Fraud warning settled',
    failed: 'Failed to settle the fraud warning',
  })
  const settleRefunds = useCall(purchasesAdmin.settleRefunds, {
    succeeded: 'Recorded as paid another way',
    failed: 'Failed to record the payment',
  })
  const keepAfterLoss = useCall(purchasesAdmin.keepAfterLoss, {
    succeeded: 'Subscription kept',
    failed: 'Failed to keep the subscription',
  })
  const resume = useCall(purchasesAdmin.resume, {
    succeeded: { title: 'Cancellation undone', description: 'The buyer gets an email.' },
    failed: 'Failed to undo the cancellation',
  })
  const retry = useCall(purchasesAdmin.retryPayment, {
    failed: 'The payment failed again',
    onSuccess: ({ state }) => toast({ title: retryTexts[state], destructive: state === 'awaits-bank' }),
  })
  const sendLink = useCall(purchasesAdmin.sendPayLink, {
    succeeded: { title: 'Link sent', description: 'They can pay without logging in.' },
    failed: 'Failed to send the link',
  })

  return (purchase: ManagedPurchase): (RowAction | false)[] => {
    const { id, user, status, paidThrough, isFullyRefunded, isWarned, isDisputed, failedRefunds } = purchase
    const renderCancelDialog = (close: () => void) => <CancelDialog purchase={purchase} onClose={close} />
    const canRefund = paidThrough === 'stripe' && !isFullyRefunded && !isWarned && !isDisputed
    return [
      isWarned && {
        text: 'Keep, it’s no fraud',
        needs: 'money.refund',
        run: () => settleWarning.mutate({ id, decision: 'dismiss' }),
      },
      purchase.lostAmount > purchase.lostAndKept &&
        !hasEnded(status) && {
          text: 'Keep after lost dispute',
          needs: 'money.refund',
          run: () => keepAfterLoss.mutate({ id, amount: purchase.lostAmount }),
        },
      failedRefunds > 0 && {
        text: 'Paid another way',
        needs: 'money.refund',
        question: {
          title: 'Paid another way',
          description: `Have you sent ${exactDollars(failedRefunds)} to ${user.email} another way, for example by bank transfer? The shop sends no money.`,
          action: 'Yes, I paid it',
        },
        run: () => settleRefunds.mutate({ id, amount: failedRefunds }),
      },
      status === 'past_due' && { text: 'Retry payment', needs: 'money.refund', run: () => retry.mutate({ id }) },
      status === 'past_due' && { text: 'Send pay link', needs: 'money.refund', run: () => sendLink.mutate({ id }) },
      status === 'pending_cancel' && {
        text: 'Undo cancellation',
        needs: 'purchases.manage',
        run: () => resume.mutate({ id }),
      },
      isExtendable(purchase) && {
        text: 'Extend',
        needs: 'purchases.manage',
        renderDialog: (close) => <ExtendDialog purchase={purchase} onClose={close} />,
      },
      isWarned && {
        text: 'Refund and end',
        needs: 'money.refund',
        question: {
          title: 'Refund and end',
          description: `Refund the payment of ${user.email} that the bank reported, and every later one, and end the subscription now? This action cannot be undone.`,
          action: 'Refund and end',
        },
        run: () => settleWarning.mutate({ id, decision: 'refund' }),
        isDangerous: true,
      },
      canRefund && {
        text: 'Refund',
        needs: 'money.refund',
        renderDialog: (close) => <RefundDialog purchase={purchase} onClose={close} />,
      },
      status === 'active' && { text: 'Cancel', needs: 'purchases.cancel', renderDialog: renderCancelDialog },
      status !== 'active' &&
        !hasEnded(status) && { text: 'End now', needs: 'purchases.manage', renderDialog: renderCancelDialog },
      {
        text: 'Delete purchase',
        needs: 'purchases.manage',
        question: {
          title: 'Delete purchase',
          description: `Permanently delete purchase for ${user.email}? This action cannot be undone.`,
          effect: hasEnded(status)
            ? 'The sale leaves the lists and the exports; past figures stay.'
            : 'The subscription ends today, and nothing is refunded. The sale leaves the lists and the exports; past figures stay. To keep it there, cancel it instead.',
          action: 'Delete purchase',
        },
        run: () => remove.mutate({ id }),
        isDangerous: true,
        hasDivider: true,
      },
    ]
  }
}

const extendForm = z.object({ until: z.string().check(z.minLength(1, 'Please choose a day')) })
const isoDay = (at: number) => new Date(at).toISOString().slice(0, 10)

function ExtendDialog({ purchase, onClose }: { purchase: Purchase; onClose: () => void }) {
  const presentEnd = Date.parse(purchase.endsAt ?? purchase.currentPeriodEnd ?? purchase.createdAt)
  return (
    <CallDialog
      title="Extend"
      description="Add free time. The next charge (or the end) moves to this date."
      call={purchasesAdmin.extend}
      schema={extendForm}
      inputOf={({ until }) => ({ id: purchase.id, until })}
      options={{
        succeeded: { title: 'Extended', description: 'The buyer gets an email.' },
        failed: 'Failed to extend',
      }}
      button={{ pendingText: 'Extending...', children: 'Extend' }}
      onClose={onClose}
    >
      <Field name="until" label="Extend to" hint="UTC">
        <Input type="date" required min={isoDay(presentEnd)} defaultValue={isoDay(presentEnd + 14 * dayMs)} />
      </Field>
    </CallDialog>
  )
}
