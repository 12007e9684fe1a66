import { useEffect, useRef } from 'react'
import { accessRequests, type QueuedRequest } from '#contract/access/access-requests.ts'
import { overview } from '#contract/desk/overview.ts'
import { useIsAdmin } from '#web/api/session.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/card.tsx'
import { confirm } from '#web/ui/confirm.tsx'
import { Cell } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { action, RecordTable } from '../lists/record-table.tsx'
import { usePages } from '../lists/use-pages.ts'
import { TradingViewConnection, TradingViewRecords } from '../tradingview/tradingview.tsx'
import { Buyer, CopyButton } from './request-cells.tsx'
import { RequestQueue } from './request-queue.tsx'

export default function Access() {
  const isAdmin = useIsAdmin()
  return (
    <div className="flex flex-col gap-10">
      {isAdmin && <TradingViewConnection />}
      <RequestQueue />
      <ToRevoke />
      {isAdmin && <TradingViewRecords />}
    </div>
  )
}

/** Access that the seller granted by hand and that is no longer paid for. */
function ToRevoke() {
  const query = usePages(accessRequests.adminToRevoke, {})
  const revoke = useCall(accessRequests.adminRevoke, {
    refreshes: [accessRequests.adminToRevoke, overview.adminShow],
    succeeded: { title: 'Access revoked', description: 'The buyer gets an email.' },
    failed: 'Failed to revoke access',
  })

  async function askAndRevoke({ id, tradingViewUsername }: QueuedRequest) {
    const yes = await confirm({
      title: 'Mark as revoked',
      description: `Have you removed ${tradingViewUsername} from the indicator on TradingView?`,
      action: 'Mark as revoked',
    })
    if (yes) revoke.mutate({ ids: [id] })
  }

  return (
    <section ref={useLinked(query.isSuccess)} aria-labelledby="to-revoke" className="flex flex-col gap-4">
      <header>
        <h2 id="to-revoke" className="text-xl">
          To revoke
        </h2>
        <p className="text-sm text-muted">Access that was granted but is no longer paid for.</p>
      </header>
      <RecordTable
        label="Access to revoke"
        noun={['to revoke', 'to revoke']}
        query={query}
        empty={
          <EmptyState
            title="Nothing to revoke"
            description="Access that is no longer paid for appears here."
          />
        }
        columns={['TradingView username', 'Buyer', 'Ended', action]}
        renderRow={(request) => (
          <>
            <Cell label="TradingView username">
              <CopyButton text={request.tradingViewUsername} />
            </Cell>
            <Buyer request={request} />
            <Cell label="Ended" className="whitespace-nowrap">
              {request.purchase?.endedAt ? <Time value={request.purchase.endedAt} /> : '–'}
            </Cell>
            <Cell className="py-1.5 text-right">
              <Button variant="secondary" size="sm" onClick={() => void askAndRevoke(request)}>
                Mark as revoked<span className="sr-only"> {request.tradingViewUsername}</span>
              </Button>
            </Cell>
          </>
        )}
      />
    </section>
  )
}

/** The overview's link leads to this part of the page, once it is there. */
function useLinked(isReady: boolean) {
  const ref = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isReady && location.hash === '#to-revoke') ref.current?.scrollIntoView()
  }, [isReady])
  return ref
}
