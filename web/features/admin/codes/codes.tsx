import { exactDollars } from '#contract/money.ts'
import { describeDiscount } from '#contract/selling/charges.ts'
import { type AdminCode, codes } from '#contract/selling/codes.ts'
import { useData } from '#web/api/client.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { EmptyState, Pending } from '#web/ui/card.tsx'
import { Badge } from '#web/ui/notice.tsx'
import { Cell, HeadCell, Table } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { AddButton } from '../lists/record-list.tsx'
import { moneyCell } from '../lists/record-table.tsx'
import { copy } from '../parts/copy.ts'
import { formatNumber } from '../parts/count.ts'
import { RowMenu } from '../parts/row-menu.tsx'
import { AddCodeDialog } from './add-code-dialog.tsx'

const tones = {
  planned: 'warning',
  running: 'good',
  'used up': 'neutral',
  over: 'neutral',
  stopped: 'neutral',
} as const

export default function Codes() {
  const query = useData(codes.adminList, {})
  const { data } = query
  return (
    <section aria-label="Codes" className="flex flex-col gap-4">
      <header className="flex flex-wrap items-start justify-between gap-3">
        <p className="max-w-prose text-sm text-muted">
          Discounts for new subscriptions. What a code is worth can’t be changed; stop it and make another.
        </p>
        <AddButton text="New code" dialog={AddCodeDialog} isAlone />
      </header>
      {data?.length === 0 && (
        <EmptyState title="No codes yet" description="Each code has a link that fills it in at the checkout." />
      )}
      {!data && <Pending query={query} />}
      {data && data.length > 0 && <CodeTable discountCodes={data} />}
    </section>
  )
}

function CodeTable({ discountCodes }: { discountCodes: AdminCode[] }) {
  const stop = useCall(codes.adminStop, { succeeded: 'Stopped', failed: 'Failed to stop it' })
  return (
    <div className="@container">
      <Table label="List of codes" className="records">
        <thead>
          <tr>
            {['Code', 'Discount', 'For', 'Used', 'When'].map((title) => (
              <HeadCell key={title}>{title}</HeadCell>
            ))}
            <HeadCell className="text-right">Revenue</HeadCell>
            <HeadCell className="text-right">
              <span className="sr-only">Actions</span>
            </HeadCell>
          </tr>
        </thead>
        <tbody>
          {discountCodes.map((discountCode) => (
            <tr key={discountCode.id}>
              <Cell>
                <span className="flex flex-wrap items-center gap-2 font-medium break-all">
                  {discountCode.code} <Badge tone={tones[discountCode.state]}>{discountCode.state}</Badge>
                </span>
              </Cell>
              <Cell label="Discount">{describeDiscount(discountCode)}</Cell>
              <Cell label="For">
                {discountCode.billingType ? `${discountCode.billingType} plan` : 'every plan'}
                {discountCode.newOnly && <span className="block text-muted">new customers</span>}
              </Cell>
              <Cell label="Used" className="tabular-nums">
                {formatNumber(discountCode.used)}
                {discountCode.maxUses !== null && ` of ${formatNumber(discountCode.maxUses)}`}
              </Cell>
              <Cell label="When">
                <span className="block">
                  from <Time value={discountCode.startsAt ?? discountCode.createdAt} />
                </span>
                <span className="block text-muted">
                  <Time before="until" value={discountCode.endsAt} />
                </span>
              </Cell>
              <Cell label="Revenue" className={moneyCell}>
                {exactDollars(discountCode.revenue)}
              </Cell>
              <Cell>
                <div className="flex items-center justify-end gap-1">
                  <Button variant="secondary" size="sm" onClick={() => void copy(discountCode.link, 'Link copied')}>
                    Copy link
                    <span className="sr-only"> of {discountCode.code}</span>
                  </Button>
                  <RowMenu
                    label={discountCode.code}
                    actions={[
                      discountCode.state !== 'stopped' && {
                        text: 'Stop',
                        question: {
                          title: `Stop ${discountCode.code}`,
                          description:
                            'No one gets it anymore. Those who paid with it, or are paying now, keep the discount.',
                          action: 'Stop it',
                        },
                        run: () => stop.mutate({ id: discountCode.id }),
                        isDangerous: true,
                      },
                    ]}
                  />
                </div>
              </Cell>
            </tr>
          ))}
        </tbody>
      </Table>
    </div>
  )
}
