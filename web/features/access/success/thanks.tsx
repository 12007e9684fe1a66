import type { OwnAccess } from '#contract/access/access.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { type Purchase, purchases } from '#contract/selling/purchases.ts'
import { useData } from '#web/api/client.ts'
import { AccessRequestForm } from '#web/features/access/access-form/access-request-form.tsx'
import { AccessSentence, problemOf, StateBadge } from '#web/features/access/access-form/access-state.tsx'
import { OpenIndicator, useAccess } from '#web/features/access/access-form/open-indicator.tsx'
import GuestPasskey from '#web/features/identity/account/guest-passkey.tsx'
import { wait } from '#web/features/selling/checkout/until-done.ts'
import { Skeleton } from '#web/ui/card.tsx'
import { Paid } from './paid.tsx'

/** Booked, and logged in: how far the access is, and the form, which knows the name given before. */
export function Thanks(props: { paymentIntentId: string; onLeave: (path: '/dashboard' | '/welcome') => void }) {
  const { paymentIntentId, onLeave } = props
  const { data: bought } = useData(purchases.list, {})
  const { data: profile } = useData(accounts.profile, {})
  const { data, isError } = useAccess()
  const purchase = bought?.find((each) => each.paymentIntentId === paymentIntentId)
  const mine = data?.find(({ purchaseId }) => purchaseId === purchase?.id) ?? data?.[0]
  return (
    <Paid
      order={purchase && profile && orderOf(purchase, profile.email)}
      next={mine ? <NextStep mine={mine} /> : <p>Thank you.</p>}
      title="TradingView Access Request"
      later={
        profile?.hasPassword === false && (
          <>
            <p className="text-muted">
              We’ve created your account and emailed you a link to set a password. You’re logged in on this device until
              you log out.
            </p>
            <GuestPasskey />
          </>
        )
      }
    >
      {!data && !isError ? (
        <Skeleton className="h-96" />
      ) : (
        <>
          {mine && (
            <div role="status" className="flex flex-col gap-2 rounded-md border border-line bg-ground px-4 py-3">
              {mine.username && (
                <p className="flex flex-wrap items-center gap-3 font-medium break-words">
                  {mine.username} <StateBadge mine={mine} />
                </p>
              )}
              <p>
                <AccessSentence mine={mine} purchase={purchase} />
              </p>
            </div>
          )}
          <AccessRequestForm
            of={{ paymentIntentId }}
            username={mine?.username ?? null}
            leave={{ label: 'Skip for Now', onClick: () => onLeave('/dashboard') }}
            onSubmitted={async () => {
              await wait(2000)
              onLeave('/welcome')
            }}
          />
        </>
      )}
    </Paid>
  )
}

function orderOf(purchase: Purchase, email: string) {
  const { billingType, amount, lastPaidAmount, nextAmount, currentPeriodEnd } = purchase
  return {
    product: purchase.product.name,
    billingType,
    paidAmount: lastPaidAmount ?? amount,
    nextCharge: currentPeriodEnd ? { amount: nextAmount ?? amount, at: currentPeriodEnd } : null,
    email,
  }
}

function NextStep({ mine }: { mine: OwnAccess }) {
  if (problemOf(mine)) return <p>Thank you. One step left: please correct your TradingView username.</p>
  switch (mine.state) {
    case 'unlocked':
      return (
        <>
          <p>Thank you. Your access is ready, and nothing more is needed.</p>
          <OpenIndicator product={mine.product} />
        </>
      )
    case 'asked':
    case 'unlocking':
      return <p>Thank you. Nothing left to do: an email follows as soon as your access is ready.</p>
    default:
      return <p>Thank you. One step left: send us your access request.</p>
  }
}
