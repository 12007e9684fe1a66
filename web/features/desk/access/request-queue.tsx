import { KeyRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import { accessRequests, type QueuedRequest, requestViews } from '#contract/access/access-requests.ts'
import { overview } from '#contract/desk/overview.ts'
import { useIsAdmin } from '#web/api/session.ts'
import { useCall } from '#web/api/use-call.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/card.tsx'
import { Cell } from '#web/ui/table.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Chips } from '../lists/record-list.tsx'
import { hiddenActions, RecordTable } from '../lists/record-table.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { usePages } from '../lists/use-pages.ts'
import { timeLeft } from '../parts/time-left.ts'
import { RefuseDialog, RevealDialog, UndoBar } from './decisions.tsx'
import { Buyer, CopyButton } from './request-cells.tsx'

const choices = { show: requestViews } as const
const deciding = {
  refreshes: [accessRequests.adminList, accessRequests.adminToRevoke, overview.adminShow],
}
const requests = (count: number) => `${count} ${count === 1 ? 'request' : 'requests'}`

/** The selected rows, ignoring any that have since left the list. */
function useSelection(present: QueuedRequest[]) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const ids = present.map(({ id }) => id).filter((id) => selected.has(id))
  return {
    ids,
    clear: () => setSelected(new Set()),
    toggleAll: () =>
      setSelected(ids.length === present.length ? new Set() : new Set(present.map(({ id }) => id))),
    toggle: (id: string) => setSelected(new Set(selected).symmetricDifference(new Set([id]))),
  }
}

/** What waits for the seller: everything without the connector, otherwise what it could not do. */
export function RequestQueue() {
  const [chosen, choose] = useFilters(choices)
  const query = usePages(accessRequests.adminList, chosen)
  const all = query.data?.pages.flatMap((page) => page.items) ?? []
  const selection = useSelection(all)
  const [refusing, setRefusing] = useState<string[] | null>(null)
  const [granted, setGranted] = useState<string[]>([])
  const [revealing, setRevealing] = useState<QueuedRequest | null>(null)
  const isAdmin = useIsAdmin()
  const grant = useCall(accessRequests.adminGrant, {
    ...deciding,
    failed: 'Failed to grant access',
    onSuccess: ({ changed }, { ids }) => {
      toast({
        title: 'Access granted',
        description: `${requests(changed)} granted; the buyers get an email in a minute.`,
      })
      setGranted(ids)
      selection.clear()
    },
  })

  return (
    <section aria-labelledby="open-requests" className="flex flex-col gap-4">
      <header className="flex min-h-11 flex-wrap items-center gap-3">
        <h2 id="open-requests" className="mr-auto text-xl">
          Open requests
        </h2>
        <Chips chips={[chosen.show && { text: 'Overdue only', remove: () => choose({ show: undefined }) }]} />
        {selection.ids.length > 0 && (
          <>
            <span className="text-sm text-muted">{selection.ids.length} chosen</span>
            <Button variant="secondary" size="sm" onClick={() => setRefusing(selection.ids)}>
              Refuse chosen
            </Button>
            <Button
              size="sm"
              pending={grant.isPending}
              onClick={() => grant.mutate({ ids: selection.ids.slice(0, 200) })}
            >
              Grant chosen
            </Button>
          </>
        )}
      </header>
      {granted.length > 0 && <UndoBar key={granted.join()} ids={granted} setIds={setGranted} />}
      <RecordTable
        label="Open access requests"
        noun={['request', 'requests']}
        query={query}
        empty={<EmptyState title="No open requests" description="You’ve answered everyone." />}
        firstHead={
          <span className="flex items-center justify-between gap-4 sm:flex-row-reverse sm:justify-end">
            <span aria-hidden="true" className="@min-[60rem]:hidden">
              All
            </span>
            <TickBox
              label="Choose all loaded requests"
              checked={selection.ids.length > 0 && selection.ids.length === all.length}
              onChange={selection.toggleAll}
            />
          </span>
        }
        columns={['Time left', 'TradingView username', 'Buyer', 'Exchange', hiddenActions]}
        renderRow={(request) => (
          <>
            <Cell className="w-10">
              <TickBox
                label={`Choose ${request.tradingViewUsername}`}
                checked={selection.ids.includes(request.id)}
                onChange={() => selection.toggle(request.id)}
              />
            </Cell>
            <Cell className="whitespace-nowrap">
              <TimeLeft promisedBy={request.promisedBy} />
            </Cell>
            <Cell label="TradingView username">
              <CopyButton text={request.tradingViewUsername} />
            </Cell>
            <Buyer request={request} />
            <Cell label="Exchange">
              <span className="block whitespace-nowrap">{request.exchangeName}</span>
              {request.hasKeys && isAdmin && (
                <button
                  type="button"
                  onClick={() => setRevealing(request)}
                  className="inline-flex cursor-pointer items-center gap-1.5 text-xs font-medium whitespace-nowrap text-accent-strong hover:underline"
                >
                  <KeyRound className="size-3.5" aria-hidden="true" />
                  Reveal key<span className="sr-only"> of {request.user.email}</span>
                </button>
              )}
            </Cell>
            <Cell className="py-1.5">
              <div className="flex justify-end gap-1">
                <Button variant="ghost" size="sm" onClick={() => setRefusing([request.id])}>
                  Refuse<span className="sr-only"> {request.tradingViewUsername}</span>
                </Button>
                <Button
                  variant="secondary"
                  size="sm"
                  disabled={grant.isPending}
                  onClick={() => grant.mutate({ ids: [request.id] })}
                >
                  Grant<span className="sr-only"> {request.tradingViewUsername}</span>
                </Button>
              </div>
            </Cell>
          </>
        )}
      />
      {refusing && <RefuseDialog ids={refusing} onDone={selection.clear} onClose={() => setRefusing(null)} />}
      {revealing && <RevealDialog request={revealing} onClose={() => setRevealing(null)} />}
    </section>
  )
}

function TickBox({ label, ...rest }: { label: string; checked: boolean; onChange: () => void }) {
  return (
    <input type="checkbox" aria-label={label} className="size-4.5 cursor-pointer accent-accent" {...rest} />
  )
}

function TimeLeft({ promisedBy }: { promisedBy: string }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 60_000)
    return () => clearInterval(timer)
  }, [])
  const { text, isOverdue, isSoon } = timeLeft(promisedBy, now)
  return <Badge tone={isOverdue ? 'bad' : isSoon ? 'warning' : 'neutral'}>{text}</Badge>
}
