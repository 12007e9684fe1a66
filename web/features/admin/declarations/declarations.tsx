import { exactDollars } from '#contract/money.ts'
import { type Declaration, declarationFilters, declarationsAdmin } from '#contract/selling/declarations-admin.ts'
import { contractNumber } from '#contract/selling/legal/consumer-law.ts'
import { statusTexts } from '#contract/statuses.ts'
import { CallButton } from '#web/api/call-button.tsx'
import { CallDialog } from '#web/api/call-dialog.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { Badge } from '#web/ui/notice.tsx'
import { Cell } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { Pills, RecordList } from '../lists/record-list.tsx'
import { actionColumn, DayCell } from '../lists/record-table.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { TextDialog } from '../parts/dialog-parts.tsx'
import { RowMenu } from '../parts/row-menu.tsx'
import { TimeLeft } from '../parts/time-left.tsx'

const filterChoices = { state: declarationFilters } as const
const tabs = [
  { value: 'open', text: 'Open' },
  { value: 'waiting', text: 'Not confirmed yet' },
  { value: 'confirmed', text: 'In progress' },
  { value: 'done', text: 'Done' },
] as const
const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
const formatDay = (value: string) => dayFormat.format(new Date(value))

function actionTexts({ kind, purchase, dueAt, forCause, endsOn }: Declaration) {
  if (kind === 'cancellation' && forCause)
    return {
      action: 'End without notice',
      description: `End the subscription of ${purchase?.email} ${endsOn ? `on ${formatDay(endsOn)}` : 'now'}, and refund the paid days after it was declared?`,
    }
  if (kind === 'cancellation')
    return {
      action: 'Cancel subscription',
      description: `Cancel the subscription of ${purchase?.email}? If it was renewed since this was declared, it ends now, and the renewal is refunded.`,
    }
  if (!purchase?.refundDue)
    return {
      action: 'End subscription',
      description: `End the subscription of ${purchase?.email} now? No payment up to ${formatDay(dueAt)} can be refunded.`,
    }
  const { email, refundDue, switchedAt } = purchase
  const amount = exactDollars(refundDue)
  const paid = switchedAt
    ? `what ${email} paid for the time since the switch on ${formatDay(switchedAt)}`
    : `what ${email} paid up to ${formatDay(dueAt)} less earlier refunds`
  return {
    action: `Refund ${amount} and end`,
    description: `Refund ${amount}, ${paid}, and end the subscription now? Payments after ${formatDay(dueAt)} are not refunded; you can refund them on the customer’s page.`,
  }
}

export default function Declarations() {
  const [{ state = 'open' }, setFilters] = useFilters(filterChoices)
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm text-muted">
        Withdrawals and cancellations sent without logging in. Confirmed ones run by themselves. Decide the others by
        the due date, and check the sender first.
      </p>
      <RecordList
        label="List of declarations"
        noun={['declaration', 'declarations']}
        list={declarationsAdmin.list}
        input={{ state }}
        controls={<Pills options={tabs} value={state} onChange={(value) => setFilters({ state: value })} />}
        none={{
          title: state === 'open' ? 'All clear' : 'None here',
          description: 'Withdrawals and cancellations sent without logging in appear here.',
        }}
        columns={['Declaration', 'Sent', 'Due', actionColumn]}
        renderRow={(declaration) => (
          <>
            <Cell className="max-w-xl">
              <DeclarationText declaration={declaration} />
            </Cell>
            <DayCell label="Sent" value={declaration.declaredAt} />
            <Cell label="Due">
              <DueDate declaration={declaration} />
            </Cell>
            <Cell className="py-1.5">
              {declaration.state === 'open' && (
                <div className="flex items-center justify-end gap-1">
                  {declaration.purchase && <CarryOutButton declaration={declaration} />}
                  <RowMenu
                    label={`the declaration by ${declaration.name}`}
                    actions={[
                      {
                        text: declaration.purchase ? 'Another contract' : 'Link to its contract',
                        renderDialog: (close) => (
                          <CallDialog
                            title="Link to its contract"
                            description={`${declaration.name} typed “${declaration.contract}”. Nothing is refunded or ended by this.`}
                            call={declarationsAdmin.link}
                            extra={{ id: declaration.id }}
                            options={{ succeeded: 'Linked', failed: 'Failed to link it' }}
                            button={{ pendingText: 'Linking...', children: 'Link' }}
                            onClose={close}
                          >
                            <Field name="contract" label="Contract number or the customer’s email">
                              <Input required maxLength={254} autoComplete="off" placeholder="RS-D1B2D225" />
                            </Field>
                          </CallDialog>
                        ),
                      },
                      {
                        text: 'Close without action',
                        renderDialog: (close) => (
                          <TextDialog
                            title="Close without action"
                            call={declarationsAdmin.close}
                            extra={{ id: declaration.id }}
                            options={{ succeeded: 'Declaration closed', failed: 'Failed to close the declaration' }}
                            field={{
                              name: 'outcome',
                              label: 'How was it handled?',
                              hint: 'Kept with the declaration.',
                            }}
                            text={{ required: true, maxLength: 500, rows: 3 }}
                            button={{ pendingText: 'Closing...', children: 'Close declaration' }}
                            onClose={close}
                          />
                        ),
                      },
                    ]}
                  />
                </div>
              )}
            </Cell>
          </>
        )}
      />
    </div>
  )
}

/** “Anna withdraws from RS-DED0978D, bought Nov 3, 2026.” */
function DeclarationText({ declaration }: { declaration: Declaration }) {
  const { kind, name, email, contract, purchase, forCause, endsOn, reason, isLate } = declaration
  return (
    <>
      <p className="wrap-anywhere">
        <span className="font-medium">{name}</span> {kind === 'withdrawal' ? 'withdraws from' : 'cancels'}{' '}
        {purchase ? (
          <>
            <Link
              href={`/admin/customers/${purchase.userId}`}
              className="font-medium whitespace-nowrap underline decoration-line underline-offset-4 hover:decoration-accent"
            >
              {contractNumber(purchase.id)}
            </Link>
            , bought <Time value={purchase.createdAt} />
          </>
        ) : (
          `“${contract}”`
        )}
        {forCause && ', for good cause'}
        {endsOn && `, to end on ${formatDay(endsOn)}`}.
      </p>
      <p className="text-xs text-muted wrap-anywhere">
        {purchase ? `${statusTexts[purchase.status]}, ${purchase.email}` : 'No matching subscription'}
        {email !== purchase?.email && `. Sent by ${email}`}
      </p>
      {reason && <p className="text-xs break-words">“{reason}”</p>}
      {isLate && <Badge tone="warning">After 14 days</Badge>}
    </>
  )
}

function DueDate({ declaration: { state, outcome, dueAt, awaitsClick } }: { declaration: Declaration }) {
  if (state !== 'open')
    return (
      <>
        {state === 'done' ? <Badge tone="good">Done</Badge> : <Badge>Confirmed</Badge>}
        <span className="mt-1 block max-w-48 text-xs break-words text-muted">{outcome}</span>
      </>
    )
  return (
    <>
      <TimeLeft until={dueAt} />
      <span className="mt-1 block text-xs text-muted">
        <Time value={dueAt} />
        {awaitsClick && <span className="block">Waiting for the buyer’s click</span>}
      </span>
    </>
  )
}

export function CarryOutButton({ declaration }: { declaration: Declaration }) {
  const { action, description } = actionTexts(declaration)
  return (
    <CallButton
      call={declarationsAdmin.carryOut}
      input={{ id: declaration.id }}
      options={{ succeeded: { title: 'Done', description: 'The buyer gets an email.' }, failed: 'Couldn’t complete' }}
      question={{ title: action, description, action, destructive: true }}
      variant="secondary"
      size="sm"
    >
      {action}
      <span className="sr-only"> for {declaration.name}</span>
    </CallButton>
  )
}
