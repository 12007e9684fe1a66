import { Copy, Eye } from 'lucide-react'
import type { ReactNode } from 'react'
import { type Customer, customers } from '#contract/admin/customers.ts'
import { customerData } from '#contract/identity/staff.ts'
import { exactDollars } from '#contract/money.ts'
import { isStaff, roleTexts } from '#contract/permissions.ts'
import { isLive } from '#contract/statuses.ts'
import { CallDialog } from '#web/api/call-dialog.tsx'
import { useCall } from '#web/api/use-call.ts'
import { ButtonLink } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { useNavigation } from '#web/ui/navigation.tsx'
import { Badge } from '#web/ui/notice.tsx'
import { saveFile } from '#web/ui/save-file.ts'
import { Time } from '#web/ui/time.tsx'
import { copy } from '../parts/copy.ts'
import { RowMenu } from '../parts/row-menu.tsx'
import { useDeleteUser } from '../users/use-delete-user.ts'
import { WriteButton } from './correspondence.tsx'

export function CustomerCard({ customer }: { customer: Customer }) {
  const { id, email, isAdmin, role, hasPassword, verifiedAt, tradingViewUsername, createdAt } = customer
  // Staff have no dashboard to look at, and change their own email.
  const isBuyer = !isStaff(customer)
  const sendLink = useCall(customers.adminSendPasswordLink, {
    succeeded: { title: 'Link sent', description: `To ${email}` },
    failed: 'Failed to send the link',
  })

  const { navigate } = useNavigation()
  const deleteActionFor = useDeleteUser(() => navigate('/admin/users'))

  const download = useCall(customerData.adminDownload, {
    succeeded: 'Customer data exported',
    failed: 'Failed to export the customer’s data',
    onSuccess: (data) => saveFile(`${email.replaceAll(/[^\w.@-]/g, '_')}.json`, JSON.stringify(data, null, 2)),
  })

  return (
    <Card role="region" aria-label="Customer" className="flex flex-col gap-5">
      <div className="flex flex-wrap items-start gap-x-6 gap-y-4">
        <div className="min-w-0 flex-1 basis-64">
          <div className="flex flex-wrap items-center gap-2">
            <a href={`mailto:${email}`} className="wrap-anywhere underline-offset-4 hover:underline">
              {email}
            </a>
            <button
              type="button"
              aria-label={`Copy ${email}`}
              onClick={() => void copy(email)}
              className="grid size-8 cursor-pointer place-items-center rounded-md text-muted hover:text-ink"
            >
              <Copy className="size-4" />
            </button>
            {isAdmin && <Badge tone="good">Admin</Badge>}
            {role && <Badge tone="good">{roleTexts[role]}</Badge>}
            {!verifiedAt && <Badge tone="warning">Email not confirmed</Badge>}
            {!hasPassword && <Badge>No password</Badge>}
          </div>
        </div>
        <div className="flex flex-wrap gap-2">
          <WriteButton customer={customer} />
          {isBuyer && (
            <ButtonLink variant="secondary" size="sm" href={`/admin/customers/${id}/dashboard`}>
              <Eye className="size-4" />
              See as buyer
            </ButtonLink>
          )}
          <RowMenu
            label={email}
            actions={[
              {
                text: 'Send password link',
                question: {
                  title: 'Send a link',
                  description: `Email ${email} a link to set a password? It works once, for an hour.`,
                  action: 'Send link',
                },
                run: () => sendLink.mutate({ id }),
              },
              isBuyer && {
                text: 'Change email',
                needs: 'people.manage',
                renderDialog: (close) => (
                  <CallDialog
                    title="Change email"
                    description={`Fixes a typo. We notify ${email}, log out all devices, and send a password link to the new address.`}
                    call={customers.adminCorrectEmail}
                    extra={{ id }}
                    options={{
                      succeeded: { title: 'Email changed', description: 'Both addresses get an email.' },
                      failed: 'Failed to change the email',
                    }}
                    button={{ pendingText: 'Changing...', children: 'Change email' }}
                    onClose={close}
                  >
                    <Field name="email" label="New email">
                      <Input type="email" autoComplete="off" required maxLength={254} defaultValue={email} />
                    </Field>
                  </CallDialog>
                ),
              },
              { text: 'Export everything', needs: 'people.manage', run: () => download.mutate({ id }) },
              deleteActionFor({ id, email, totalPurchases: customer.purchases.length }),
            ]}
          />
        </div>
      </div>
      <dl className="flex flex-wrap gap-x-10 gap-y-3 text-sm">
        <Fact name="TradingView">
          {tradingViewUsername ? <span className="font-mono">{tradingViewUsername}</span> : 'Not known'}
        </Fact>
        <Fact name="Customer since">
          <Time value={createdAt} />
        </Fact>
        <Fact name="Next charge">
          <NextCharge customer={customer} />
        </Fact>
      </dl>
    </Card>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="font-medium">{children}</dd>
    </div>
  )
}

function NextCharge({ customer }: { customer: Customer }) {
  const renewing = customer.purchases.find(({ status, currentPeriodEnd }) => status === 'active' && currentPeriodEnd)
  const ending = customer.purchases.find(({ status, endsAt }) => isLive(status) && endsAt)
  const unpaid = customer.purchases.find(({ status }) => status === 'past_due')
  if (unpaid) return <span className="text-danger">{exactDollars(unpaid.dueAmount ?? unpaid.amount)} is overdue</span>
  if (renewing?.charges) return renewing.charges
  if (renewing?.currentPeriodEnd)
    return (
      <>
        {exactDollars(renewing.nextAmount ?? renewing.amount)} on <Time value={renewing.currentPeriodEnd} />, then every{' '}
        {renewing.period}
      </>
    )
  return ending ? <Time before="None; ends on" value={ending.endsAt} /> : 'None'
}
