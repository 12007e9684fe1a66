import type { ManagedPurchase } from '#contract/selling/purchases.ts'
import { classes } from '#web/ui/classes.ts'
import { Time } from '#web/ui/time.tsx'

/** Until when the seller can answer a dispute, and where. Nothing for a purchase without one. */
export function Disputed(props: {
  purchase: Pick<ManagedPurchase, 'isDisputed' | 'disputeDueAt'>
  className?: string
}) {
  const { isDisputed, disputeDueAt } = props.purchase
  if (!isDisputed) return null
  return (
    <span className={classes('text-danger', props.className)}>
      Disputed: the bank decides, so it can’t be refunded.{' '}
      <a
        href="https://dashboard.stripe.com/disputes"
        target="_blank"
        rel="noreferrer"
        className="font-medium underline"
      >
        Answer at Stripe
      </a>
      {disputeDueAt && (
        <>
          {' '}
          by <Time value={disputeDueAt} />
        </>
      )}
    </span>
  )
}
