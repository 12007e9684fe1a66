import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { exactDollars } from '#contract/money.ts'
import type { PaidOrder } from '#contract/selling/checkout.ts'
import { Skeleton } from '#web/ui/card.tsx'
import { Container } from '#web/ui/page.tsx'
import { Time } from '#web/ui/time.tsx'

type OrderFacts = Omit<PaidOrder, 'wayIn' | 'username'>

export function PaidLayout(props: {
  /** Undefined while it loads. */
  order: OrderFacts | undefined
  next: ReactNode
  title: string
  children: ReactNode
  footer?: ReactNode
}) {
  const { order, next, title, children, footer } = props
  return (
    <Container className="grid gap-x-16 gap-y-10 py-10 sm:py-20 lg:grid-cols-[6fr_5fr] lg:grid-rows-[auto_1fr]">
      <div className="flex flex-col gap-6">
        <h1 className="flex items-center gap-4 text-3xl">
          <CircleCheck aria-hidden="true" className="size-9 shrink-0 text-accent" strokeWidth={1.5} />
          Payment Successful!
        </h1>
        <div className="flex flex-col gap-5 text-lg">{next}</div>
        {order ? <OrderTable order={order} /> : <OrderTableSkeleton />}
      </div>
      <section
        aria-labelledby="request"
        className="flex flex-col gap-6 border-t border-ink pt-6 lg:col-start-2 lg:row-span-2 lg:row-start-1 lg:self-start"
      >
        <h2 id="request" className="text-xl">
          {title}
        </h2>
        {children}
      </section>
      {footer}
    </Container>
  )
}

function OrderTable({ order: { product, billingType, paidAmount, nextCharge, email } }: { order: OrderFacts }) {
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

function OrderTableSkeleton() {
  return (
    <div className="divide-y divide-line border-y border-line">
      {['w-36', 'w-16', 'w-40', 'w-44'].map((width) => (
        <div key={width} className="flex items-center justify-between py-4">
          <Skeleton className="h-3.5 w-24" />
          <Skeleton className={`h-3.5 ${width}`} />
        </div>
      ))}
    </div>
  )
}
