import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { access } from '#contract/access/access.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { dollars, exactDollars } from '#contract/money.ts'
import { contractNumber, withdrawalEffects } from '#contract/selling/legal/consumer-law.ts'
import { type Purchase, purchases } from '#contract/selling/purchases.ts'
import { isLive, statusTexts, statusTones } from '#contract/statuses.ts'
import { CallButton } from '#web/api/call-button.tsx'
import { call, useData } from '#web/api/client.ts'
import { useSettings } from '#web/api/settings.tsx'
import { toastError, useCall } from '#web/api/use-call.ts'
import { checkoutAddress } from '#web/features/selling/checkout/address.ts'
import CardUpdateDialog from '#web/features/selling/checkout/card-update-dialog.tsx'
import { useDownloadInvoice } from '#web/features/selling/invoices/invoices.ts'
import InvoicesDialog from '#web/features/selling/invoices/invoices-dialog.tsx'
import { Button, ButtonLink, TextButton } from '#web/ui/button.tsx'
import { confirm } from '#web/ui/confirm.tsx'
import { Menu, MenuItem } from '#web/ui/menu.tsx'
import { Link, useNavigation } from '#web/ui/navigation.tsx'
import { Badge } from '#web/ui/notice.tsx'
import { Time } from '#web/ui/time.tsx'
import LeaveReasonDialog from './leave-reason-dialog.tsx'
import { PlanSwitch } from './plan-switch.tsx'
import { resumedMessage } from './use-purchases.ts'

const dialogs = { card: CardUpdateDialog, invoices: InvoicesDialog, leaveReason: LeaveReasonDialog }
type OpenDialog = (dialog: keyof typeof dialogs) => void

export function PurchaseRow({ purchase, mayBuyAgain }: { purchase: Purchase; mayBuyAgain: boolean }) {
  const { id, product, billingType, period, amount, status } = purchase
  const { search } = useNavigation()
  const query = new URLSearchParams(search)
  // The email about an expiring card links to the card dialog. After the bank's page (`useReturnedCard`), it stays closed.
  const isForCard = query.get('card') === id && !query.has('setup_intent')
  const [dialog, setDialog] = useState<keyof typeof dialogs | null>(isForCard ? 'card' : null)
  const Dialog = dialog && dialogs[dialog]
  const canCancel = status === 'active' || status === 'past_due' || status === 'paused'
  const download = useDownloadInvoice()
  return (
    <li className="flex flex-col gap-x-8 gap-y-4 p-5 sm:p-6 lg:flex-row lg:items-center lg:justify-between">
      <div className="flex min-w-0 flex-col gap-1.5">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
          <h3 className="text-lg">{product.name}</h3>
          <Badge tone={statusTones[status]}>{statusTexts[status]}</Badge>
        </div>
        <p className="flex flex-wrap items-baseline gap-x-2 text-muted">
          <span>{billingType} subscription</span>
          <span aria-hidden="true">·</span>
          <span className="font-medium text-ink tabular-nums">
            {dollars(amount)}/{period}
          </span>
        </p>
        <Dates purchase={purchase} />
        <CardInUse purchase={purchase} openDialog={setDialog} />
        <PlanSwitch purchase={purchase} />
        <Withdrawal purchase={purchase} />
        <p className="text-xs text-muted">Contract {contractNumber(id)}</p>
      </div>
      <div className="flex flex-wrap gap-2 max-sm:*:grow lg:justify-end">
        <Button variant="secondary" size="sm" pending={download.isPending} onClick={() => download.mutate(id)}>
          Download Invoice
        </Button>
        {status === 'past_due' && (
          <Button size="sm" onClick={() => setDialog('card')}>
            Update Card
          </Button>
        )}
        {status === 'pending_cancel' && (
          <CallButton
            call={purchases.resume}
            input={{ id }}
            options={{ refreshes, succeeded: resumedMessage(purchase), failed: 'Failed to resume' }}
            variant="secondary"
            size="sm"
            pendingText="Resuming..."
          >
            Resume Subscription
          </CallButton>
        )}
        <Manage purchase={purchase} openDialog={setDialog} />
        {canCancel && <Cancel purchase={purchase} onCancelled={() => setDialog('leaveReason')} />}
        {mayBuyAgain && (
          <ButtonLink href={checkoutAddress(billingType, product.slug)} size="sm">
            {isLive(status) ? 'Subscribe' : 'Subscribe again'}
          </ButtonLink>
        )}
        {Dialog && <Dialog purchase={purchase} onClose={() => setDialog(null)} />}
      </div>
    </li>
  )
}

const endReasonTexts = {
  cancelled: 'It was cancelled.',
  unpaid: 'The renewal was not paid.',
  refunded: 'The payment was refunded.',
  disputed: 'The payment was disputed.',
  gone: 'It was ended.',
  duplicate: 'It was bought twice, so the second payment was refunded.',
  code_used_up: 'Its code was used up, so the payment was refunded.',
  code_new_only: 'Its code was for new customers only, so the payment was refunded.',
}

function Dates({ purchase }: { purchase: Purchase }) {
  const { status, createdAt, currentPeriodEnd, endsAt, graceEndsAt, endedAt, endedBecause } = purchase
  const isRenewing = status === 'active' && !endsAt && !purchase.isCollectionPaused
  const isEnding = status === 'pending_cancel' || (status === 'active' && endsAt !== null)
  const hasEnded = status === 'cancelled' || status === 'expired'
  return (
    <p className="text-sm text-muted">
      Bought on <Time value={createdAt} />
      {isRenewing && currentPeriodEnd && (
        <>
          , renews on <Time value={currentPeriodEnd} />
          {purchase.paidThrough === 'stripe' && <NextCharge purchase={purchase} />}
        </>
      )}
      {isEnding && <Time before=", ends on" value={endsAt ?? currentPeriodEnd} />}
      {hasEnded && <Time before=", ended on" value={endedAt} />}. {endedBecause && endReasonTexts[endedBecause]}
      {purchase.isCollectionPaused && isLive(status) && (
        <>
          Nothing is charged at the moment
          <Time before=", until" value={purchase.collectionResumesAt} />, and you keep access.
        </>
      )}
      {status === 'paused' && 'Nothing is charged until it continues, and you have no access.'}
      {status === 'past_due' && (
        <span className="font-medium text-danger">
          {purchase.awaitsBank
            ? 'Your bank wants you to confirm the payment.'
            : 'Payment failed. Please update your card.'}
          <Time before=" You keep access until" value={graceEndsAt} after="." />
        </span>
      )}
    </p>
  )
}

/** Shows the stored amount until Stripe answers, and "about" if Stripe doesn't answer. */
function NextCharge({ purchase }: { purchase: Purchase }) {
  const storedAmount = purchase.nextAmount ?? purchase.amount
  const { data, isError } = useData(purchases.nextCharge, { id: purchase.id })
  const amount = data?.amount ?? storedAmount
  const isEstimate = isError || data?.isExact === false
  // `charges` lists the amounts during a discount, and the stored amount is the first of them.
  if (amount === storedAmount && purchase.charges) return `: ${purchase.charges}`
  return `: next charge ${isEstimate ? 'about ' : ''}${exactDollars(amount)}`
}

function CardInUse({ purchase, openDialog }: { purchase: Purchase; openDialog: OpenDialog }) {
  if (!purchase.card || !isLive(purchase.status)) return null
  return (
    <div className="flex flex-wrap gap-x-2 text-sm text-muted">
      {purchase.card}
      <TextButton aria-label="Change card" onClick={() => openDialog('card')}>
        Change
      </TextButton>
    </div>
  )
}

function Manage({ purchase, openDialog }: { purchase: Purchase; openDialog: OpenDialog }) {
  return (
    <Menu
      label={
        <>
          Manage <ChevronDown className="shrink-0 size-4" />
        </>
      }
      aria-label={`Manage ${purchase.product.name}`}
      className="flex h-9 w-full items-center justify-center gap-1.5 rounded-md px-3 text-sm font-medium hover:bg-line/60"
    >
      <MenuItem onClick={() => openDialog('invoices')}>All Invoices</MenuItem>
      {isLive(purchase.status) && purchase.paidThrough === 'stripe' && (
        <MenuItem onClick={() => openDialog('card')}>Change Card</MenuItem>
      )}
    </Menu>
  )
}

/** Null outside the EU, and once the right to withdraw is over. */
function useWithdrawal({ withdrawal, status }: Purchase) {
  const { consumerLaw } = useSettings()
  return consumerLaw === 'eu' && isLive(status) ? withdrawal : null
}

function Withdrawal({ purchase }: { purchase: Purchase }) {
  const withdrawal = useWithdrawal(purchase)
  if (!withdrawal) return null
  return (
    <p className="text-sm text-muted">
      <Time before="Until" value={withdrawal.by} />, you can{' '}
      <Link href="/withdraw" className="font-medium text-ink underline decoration-field underline-offset-2">
        withdraw
      </Link>{' '}
      and {withdrawalEffects[withdrawal.covers]}.
    </p>
  )
}

const formatDay = (date: Date) => date.toLocaleDateString(undefined, { dateStyle: 'long' })

const refreshes = [purchases.list, access.mine]

type CancellationPreview = OutputOf<typeof purchases.cancellation>

function describeCancellation({ status, period }: Purchase, { endsAt, refund }: CancellationPreview) {
  if (endsAt && refund)
    return `Are you sure you want to cancel your subscription? Your ${period} has renewed, so it ends with one month’s notice, on ${formatDay(new Date(endsAt))}. On that day, we refund ${exactDollars(refund)} for the rest of it.`
  if (status === 'paused') return 'Are you sure you want to cancel your subscription? It ends immediately.'
  if (!endsAt)
    return 'Are you sure you want to cancel your subscription? The open payment won’t be charged anymore, and your access ends immediately.'
  return 'Are you sure you want to cancel your subscription? You will retain access until the end of your billing period.'
}

function Cancel({ purchase, onCancelled }: { purchase: Purchase; onCancelled: () => void }) {
  const { id } = purchase
  const [isAsking, setIsAsking] = useState(false)
  const withdrawal = useWithdrawal(purchase)
  const cancel = useCall(purchases.cancel, {
    refreshes,
    succeeded: 'Subscription will be cancelled',
    failed: 'Failed to cancel',
    onSuccess: ({ isDone }) => {
      if (isDone) onCancelled()
    },
  })

  async function loadPreview() {
    setIsAsking(true)
    try {
      return await call(purchases.cancellation, { id })
    } catch (error) {
      toastError('Failed to cancel', error)
      return null
    } finally {
      setIsAsking(false)
    }
  }

  async function confirmAndCancel() {
    const preview = await loadPreview()
    if (!preview) return
    const effects: string[] = []
    if (preview.endsAt && !preview.refund) effects.push(`It ends on ${formatDay(new Date(preview.endsAt))}.`)
    if (withdrawal)
      effects.push(
        `Until ${formatDay(new Date(withdrawal.by))}, you can withdraw instead and ${withdrawalEffects[withdrawal.covers]} (link below your subscription).`,
      )
    const isSure = await confirm({
      title: 'Cancel Subscription',
      description: describeCancellation(purchase, preview),
      effect: effects.join(' '),
      action: 'Cancel Subscription',
      cancel: 'Keep Subscription',
      destructive: true,
    })
    if (isSure) cancel.mutate({ id, endsAt: preview.endsAt })
  }

  return (
    <Button
      variant="ghost"
      size="sm"
      pending={isAsking || cancel.isPending}
      pendingText={isAsking ? 'One moment...' : 'Cancelling...'}
      onClick={() => void confirmAndCancel()}
    >
      Cancel Subscription
    </Button>
  )
}
