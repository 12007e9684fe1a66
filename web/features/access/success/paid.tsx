import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { exactDollars } from '#contract/money.ts'
import type { PaidOrder } from '#contract/selling/checkout.ts'
import { Card, Skeleton } from '#web/ui/card.tsx'
import { Container } from '#web/ui/page.tsx'
import { Time } from '#web/ui/time.tsx'

type Order = Omit<PaidOrder, 'wayIn'>

export function Paid(props: {
  /** Undefined while it loads. */
  order: Order | undefined
  next: ReactNode
  title: string
  children: ReactNode
  later?: ReactNode
}) {
  const { order, next, title, children, later } = props
  return (
    <div className="hero">
      <Container className="grid gap-x-16 gap-y-8 py-10 sm:py-20 lg:grid-cols-[2fr_3fr] lg:grid-rows-[auto_1fr]">
        <div className="flex flex-col gap-4">
          <CircleCheck className="size-12 text-accent" />
          <h1 className="text-3xl">Payment Successful!</h1>
          {order ? <Bill order={order} /> : <Skeleton className="h-56" />}
          <div className="flex flex-col gap-4 text-lg">{next}</div>
        </div>
        <Card className="flex flex-col gap-6 sm:p-8 lg:col-start-2 lg:row-span-2 lg:row-start-1 lg:self-start">
          <h2 className="text-xl">{title}</h2>
          {children}
        </Card>
        {later && <div className="flex flex-col gap-4">{later}</div>}
      </Container>
    </div>
  )
}

function Bill({ order: { product, billingType, paidAmount, nextCharge, email } }: { order: Order }) {
  return (
    <dl className="divide-y divide-line border-y border-line">
      <Line name="Plan">
        {product}, {billingType}
      </Line>
      <Line name="Paid today">{exactDollars(paidAmount)}</Line>
      {nextCharge && (
        <Line name="Next charge">
          {exactDollars(nextCharge.amount)} on <Time value={nextCharge.at} />
        </Line>
      )}
      <Line name="Receipt sent to">{email}</Line>
    </dl>
  )
}

const Line = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex flex-wrap justify-between gap-x-6 py-2.5">
    <dt className="text-muted">{name}</dt>
    <dd className="font-medium wrap-anywhere">{children}</dd>
  </div>
)
