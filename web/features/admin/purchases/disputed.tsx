import type { ManagedPurchase } from '#contract/selling/purchases.ts'
import { classes } from '#web/ui/classes.ts'
import { Time } from '#web/ui/time.tsx'

/** Deadline of an open dispute, with a link to answer it at Stripe. */
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
