import { useEffect, useRef } from 'react'
import { accessRequests, type QueuedRequest } from '#contract/access/access-requests.ts'
import { overview } from '#contract/desk/overview.ts'
import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/card.tsx'
import { confirm } from '#web/ui/confirm.tsx'
import { Cell } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { EndlessTable } from '../lists/endless-table.tsx'
import { usePages, useRowCall } from '../lists/use-pages.ts'
import { Buyer, CopyButton } from './request-cells.tsx'

/** Access that the seller granted by hand and that nobody pays for anymore. */
export function ToRevoke() {
  const query = usePages(accessRequests.adminToRevoke, {})
  const revoke = useRowCall(accessRequests.adminRevoke, {
    list: accessRequests.adminToRevoke,
    refreshes: [overview.adminShow],
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
      <EndlessTable
        label="Access to revoke"
        noun={['to revoke', 'to revoke']}
        query={query}
        empty={
          <EmptyState
            title="Nothing to revoke"
            description="Access that is no longer paid for will stand here."
          />
        }
        columns={['TradingView username', 'Buyer', 'Ended', 'Action']}
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
