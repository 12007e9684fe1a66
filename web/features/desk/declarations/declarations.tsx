import { useState } from 'react'
import {
  closingNote,
  type Declaration,
  declarationFilters,
  declarations,
} from '#contract/selling/declarations.ts'
import { contractNumber } from '#contract/selling/legal/consumer-law.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { statusTexts } from '#contract/statuses.ts'
import * as z from '#contract/zod.ts'
import { useCall } from '#web/api/use-call.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { confirm } from '#web/ui/confirm.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { Cell } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { RecordList } from '../lists/record-list.tsx'
import { action } from '../lists/record-table.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { usePages } from '../lists/use-pages.ts'
import { TextDialog } from '../parts/text-dialog.tsx'
import { timeLeft } from '../parts/time-left.ts'

const handling = { refreshes: [declarations.adminList, purchases.adminList] }
const choices = { state: declarationFilters } as const
const dayOf = (value: string) => new Date(value).toLocaleDateString(undefined, { dateStyle: 'medium' })
const kinds = { withdrawal: 'Withdrawal', cancellation: 'Cancellation' }
/** What carrying one out does: its button says so. */
const does = { withdrawal: 'Refund and end', cancellation: 'Cancel contract' }

export default function Declarations() {
  const [chosen, choose] = useFilters(choices)
  const query = usePages(declarations.adminList, chosen)
  const [closing, setClosing] = useState<Declaration | null>(null)
  const carryOut = useCall(declarations.adminCarryOut, {
    ...handling,
    succeeded: { title: 'Done', description: 'The buyer gets an email.' },
    failed: 'Failed to carry it out',
  })

  async function askAndCarryOut({ id, kind, purchase, dueAt }: Declaration) {
    const yes = await confirm({
      title: does[kind],
      description:
        kind === 'withdrawal'
          ? `Refund what ${purchase?.email} paid until ${dayOf(dueAt)}, and end the contract now? Later payments are yours to refund.`
          : `Cancel the contract of ${purchase?.email}? If it was renewed since this was declared, it ends now, and the renewal is refunded.`,
      action: does[kind],
      destructive: true,
    })
    if (yes) carryOut.mutate({ id })
  }

  return (
    <section aria-labelledby="declarations" className="flex flex-col gap-4">
      <header>
        <h2 id="declarations" className="text-xl">
          Withdrawals and cancellations
        </h2>
        <p className="text-sm text-muted">
          Sent without logging in. The shop acts by itself once the owner has confirmed by email. You decide
          the rest, and what isn’t confirmed within three days, by its due date. Check who sent it first.
        </p>
      </header>
      <RecordList
        label="List of declarations"
        noun={['declaration', 'declarations']}
        query={query}
        chosen={chosen}
        chips={[chosen.state && { text: `Only ${chosen.state}`, remove: () => choose({ state: undefined }) }]}
        none={{
          title: 'No declarations yet',
          description: 'Withdrawals and cancellations sent without logging in appear here.',
        }}
        columns={['Declared', 'Declaration', 'By', 'Contract', 'Due', action]}
        renderRow={(row) => (
          <>
            <Cell label="Declared" className="whitespace-nowrap">
              <Time value={row.declaredAt} />
            </Cell>
            <Cell>
              <span className="block font-medium">{kinds[row.kind]}</span>
              {row.forCause && <span className="block text-muted">For good cause</span>}
              {row.reason && <span className="block max-w-64 text-xs break-words">“{row.reason}”</span>}
              {row.endsOn && (
                <span className="block text-muted">
                  To end on <span className="whitespace-nowrap">{row.endsOn}</span>
                </span>
              )}
              {row.isLate && <Badge tone="warning">Too late?</Badge>}
            </Cell>
            <Cell className="max-w-56">
              <span className="block truncate font-medium">{row.name}</span>
              <span className="block truncate text-muted">{row.email}</span>
            </Cell>
            <Cell label="Contract" className="max-w-56">
              <span className="block truncate">“{row.contract}”</span>
              {row.purchase ? (
                <Link
                  href={`/admin/purchases?${new URLSearchParams({ q: row.purchase.email })}`}
                  className="block truncate text-muted underline decoration-line underline-offset-4 hover:decoration-accent"
                >
                  {contractNumber(row.purchase.id)}, {statusTexts[row.purchase.status]}, {row.purchase.email}
                </Link>
              ) : (
                <span className="block text-muted">No such contract found</span>
              )}
            </Cell>
            <Cell label="Due">
              <Due row={row} />
            </Cell>
            <Cell className="py-1.5">
              {row.state === 'open' && (
                <div className="flex justify-end gap-1">
                  <Button variant="ghost" size="sm" onClick={() => setClosing(row)}>
                    Close<span className="sr-only"> the declaration by {row.name}</span>
                  </Button>
                  {row.purchase && (
                    <Button
                      variant="secondary"
                      size="sm"
                      disabled={carryOut.isPending}
                      onClick={() => void askAndCarryOut(row)}
                    >
                      {does[row.kind]}
                      <span className="sr-only"> the declaration by {row.name}</span>
                    </Button>
                  )}
                </div>
              )}
            </Cell>
          </>
        )}
      />
      {closing && <CloseDialog declaration={closing} onClose={() => setClosing(null)} />}
    </section>
  )
}

function Due({ row }: { row: Declaration }) {
  const [now] = useState(() => Date.now())
  if (row.state !== 'open')
    return (
      <>
        {row.state === 'done' ? <Badge tone="good">Done</Badge> : <Badge>Confirmed</Badge>}
        <span className="mt-1 block max-w-48 text-xs break-words text-muted">{row.outcome}</span>
      </>
    )
  const { text, isOverdue, isSoon } = timeLeft(row.dueAt, now)
  return (
    <>
      <Badge tone={isOverdue ? 'bad' : isSoon ? 'warning' : 'neutral'}>{text}</Badge>
      <span className="mt-1 block text-xs text-muted">
        <Time value={row.dueAt} />
        {row.awaitsClick && <span className="block">Waiting for the buyer’s click</span>}
      </span>
    </>
  )
}

const schema = z.strictObject({ outcome: closingNote(z) })

function CloseDialog({ declaration, onClose }: { declaration: Declaration; onClose: () => void }) {
  const close = useCall(declarations.adminClose, {
    ...handling,
    succeeded: 'Declaration closed',
    failed: 'Failed to close the declaration',
    onSuccess: onClose,
  })
  return (
    <TextDialog
      title="Close declaration"
      schema={schema}
      field={{ name: 'outcome', label: 'How was it handled?', hint: 'Kept with the declaration.' }}
      text={{ required: true, maxLength: 500, rows: 3 }}
      button={{ pendingText: 'Closing...', children: 'Close declaration' }}
      onSubmit={(typed) => close.mutateAsync({ id: declaration.id, ...typed })}
      onClose={onClose}
    />
  )
}
