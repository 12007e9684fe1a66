import type { ReactNode } from 'react'
import type { Customer } from '#contract/admin/customers.ts'
import { exactDollars } from '#contract/money.ts'
import { type Declaration, declarationsAdmin } from '#contract/selling/declarations-admin.ts'
import { contractNumber } from '#contract/selling/legal/consumer-law.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { CallButton } from '#web/api/call-button.tsx'
import { useData } from '#web/api/client.ts'
import { useCan } from '#web/api/session.ts'
import { Link } from '#web/ui/navigation.tsx'
import { Time } from '#web/ui/time.tsx'
import { CarryOutButton } from '../declarations/declarations.tsx'

export function OpenMatters({ customer }: { customer: Customer }) {
  const canDecide = useCan()('money.refund')
  const { data } = useData(declarationsAdmin.list, { customerId: customer.id, state: 'open' }, { enabled: canDecide })
  const disputedPurchases = customer.purchases.filter(({ isDisputed }) => isDisputed)
  const unpaidPurchases = customer.purchases.filter(({ status }) => status === 'past_due')
  const openDeclarations = data ?? []
  if (disputedPurchases.length + unpaidPurchases.length + openDeclarations.length === 0) return null
  return (
    <ul aria-label="Open matters" className="flex flex-col gap-2">
      {openDeclarations.map((declaration) => (
        <Matter key={declaration.id} action={<CarryOutButton declaration={declaration} />}>
          <DeclarationText declaration={declaration} />
        </Matter>
      ))}
      {disputedPurchases.map(({ id, disputeIds, disputeDueAt }) => (
        <Matter
          key={id}
          action={
            canDecide &&
            disputeIds.map((dispute) => (
              <Link
                key={dispute}
                href={`/admin/purchases/disputes/${dispute}`}
                className="font-medium underline underline-offset-4"
              >
                {disputeDueAt ? 'Answer' : 'Look at the answer'}
              </Link>
            ))
          }
        >
          Disputed a payment.{' '}
          {disputeDueAt ? (
            <Time before="Answer the bank by" value={disputeDueAt} after="." />
          ) : (
            'You have answered; the bank decides.'
          )}
        </Matter>
      ))}
      {unpaidPurchases.map(({ id, dueAmount, amount, graceEndsAt }) => (
        <Matter
          key={id}
          action={
            canDecide && (
              <CallButton
                call={purchasesAdmin.sendPayLink}
                input={{ id }}
                options={{
                  succeeded: { title: 'Link sent', description: 'They can pay without logging in.' },
                  failed: 'Failed to send the link',
                }}
                variant="secondary"
                size="sm"
              >
                Send pay link
              </CallButton>
            )
          }
        >
          A payment of {exactDollars(dueAmount ?? amount)} failed.{' '}
          <Time before="Access ends on" value={graceEndsAt} after="." />
        </Matter>
      ))}
    </ul>
  )
}

function DeclarationText({ declaration }: { declaration: Declaration }) {
  const { kind, purchase, dueAt } = declaration
  return (
    <>
      {kind === 'withdrawal' ? 'Withdraws from' : 'Cancels'} {purchase && contractNumber(purchase.id)},{' '}
      <Time before="due" value={dueAt} />.
    </>
  )
}

function Matter({ action, children }: { action: ReactNode; children: ReactNode }) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-warning bg-warning-soft px-4 py-2 text-sm">
      <p className="min-w-0 flex-1 basis-60 font-medium text-warning">{children}</p>
      {action}
    </li>
  )
}
