import type { ManagedPurchase } from '#contract/selling/purchases-admin.ts'
import { useCan } from '#web/api/session.ts'
import { classes } from '#web/ui/classes.ts'
import { Link } from '#web/ui/navigation.tsx'
import { Time } from '#web/ui/time.tsx'

export function DisputeNote(props: {
  purchase: Pick<ManagedPurchase, 'isDisputed' | 'disputeDueAt' | 'disputeIds'>
  className?: string
}) {
  const { isDisputed, disputeDueAt, disputeIds } = props.purchase
  const canAnswer = useCan()('money.refund')
  if (!isDisputed) return null
  return (
    <span className={classes('text-danger', props.className)}>
      Disputed: the bank decides, so it can’t be refunded.{' '}
      {canAnswer &&
        disputeIds.map((id) => (
          <Link key={id} href={`/admin/purchases/disputes/${id}`} className="mr-1 font-medium underline">
            {disputeDueAt ? 'Answer' : 'Answered'}
          </Link>
        ))}
      {disputeDueAt && <Time before="by" value={disputeDueAt} />}
    </span>
  )
}
