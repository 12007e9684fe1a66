import { useEffect } from 'react'
import type { PaidOrder } from '#contract/selling/checkout.ts'
import { returnToPayment } from '#web/features/identity/sign-in/return-path.ts'
import { ButtonLink } from '#web/ui/button.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { PaidLayout } from './paid.tsx'

const loginTexts: Record<PaidOrder['wayIn'], { title: string; text: string }> = {
  login: {
    title: 'One step left: log in',
    text: 'There’s an account with this email address, and your subscription is in it.',
  },
  'first-link': {
    title: 'One step left: set your password',
    text: 'We’ve sent you a link to set your password. Open it, and you’ll be back here.',
  },
  'new-link': {
    title: 'One step left: set your password',
    text: 'We’ve sent you a link to set your password; the old one no longer works, because this address was never confirmed. Open it, and you’ll be back here.',
  },
}

/** A guest may type anyone's email, so only the account's owner can confirm the username. */
const accessSentence = (username: string | null) =>
  username ? `Log in to confirm ${username}; then it is unlocked.` : 'Log in to request your access.'

/** Success page for a guest who paid with the address of an existing account. */
export function OneStepLeft({ paymentIntentId, order }: { paymentIntentId: string; order: PaidOrder }) {
  const { title, text } = loginTexts[order.wayIn]
  // Every login returns to this page, also one that starts in the header.
  useEffect(() => returnToPayment(paymentIntentId), [paymentIntentId])
  return (
    <PaidLayout
      order={order}
      title={title}
      next={<p>Thank you. Your payment went through, so please don’t pay again.</p>}
    >
      <p>
        {text} {accessSentence(order.username)}
      </p>
      {order.wayIn === 'login' ? (
        <ButtonLink href={`/auth?payment_intent=${encodeURIComponent(paymentIntentId)}`} className="self-start">
          Log In
        </ButtonLink>
      ) : (
        <p className="text-muted">
          No email? Look in your spam folder, or{' '}
          <Link href="/forgot-password" className="font-medium text-ink underline decoration-field underline-offset-2">
            get another link
          </Link>
          .
        </p>
      )}
    </PaidLayout>
  )
}
