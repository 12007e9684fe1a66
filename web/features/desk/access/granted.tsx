import { accessRequests, grantedStates, type QueuedRequest } from '#contract/access/access-requests.ts'
import { overview } from '#contract/desk/overview.ts'
import { isLive } from '#contract/statuses.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/card.tsx'
import { confirm } from '#web/ui/confirm.tsx'
import { Cell } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { CustomerLink } from '../customers/customer-link.tsx'
import { EndlessTable } from '../lists/endless-table.tsx'
import { Filter, SearchBox } from '../lists/search-box.tsx'
import { usePages, useRowCall } from '../lists/use-pages.ts'
import { useAddress } from '../shell/use-address.ts'

const choices = { q: 'text', state: grantedStates } as const
const columns = ['TradingView username', 'Buyer', 'Paid', 'Decided', 'Action']
const changing = {
  list: accessRequests.adminGranted,
  refreshes: [accessRequests.adminToRevoke, overview.adminShow],
}

/** Everyone who has access, and whom the seller has locked out although they pay. */
export default function Granted() {
  const [chosen, choose] = useAddress(choices)
  const { q, state = 'granted' } = chosen
  const query = usePages(accessRequests.adminGranted, { q, state })
  const revoke = useRowCall(accessRequests.adminRevoke, {
    ...changing,
    succeeded: { title: 'Access revoked', description: 'The buyer gets an email.' },
    failed: 'Failed to revoke access',
  })
  const restore = useRowCall(accessRequests.adminRestore, {
    ...changing,
    succeeded: { title: 'Access restored', description: 'The buyer gets an email in a minute.' },
    failed: 'Failed to restore access',
  })

  async function askAndRevoke({ id, tradingViewUsername, purchase }: QueuedRequest) {
    const yes = await confirm({
      title: 'Revoke access',
      description: `Take access away from ${tradingViewUsername}?${purchase && isLive(purchase.status) ? ' They still pay for it; you can restore it as long as they do.' : ''} Unless TradingView is connected, remove them there by hand, too.`,
      action: 'Revoke access',
      destructive: true,
    })
    if (yes) revoke.mutate({ ids: [id] })
  }

  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-center gap-3">
        <SearchBox
          placeholder="Search by username, email or name..."
          q={q}
          onSearch={(typed) => choose({ q: typed })}
        />
        <Filter
          aria-label="State"
          value={state}
          onChange={({ target }) => choose({ state: target.value === 'revoked' ? 'revoked' : undefined })}
        >
          <option value="granted">Granted</option>
          <option value="revoked">Revoked, but paid</option>
        </Filter>
      </div>
      <EndlessTable
        label="Granted access"
        noun={['person', 'people']}
        columns={columns}
        query={query}
        empty={
          q ? (
            <EmptyState title="Nobody found" />
          ) : (
            <EmptyState
              title={state === 'granted' ? 'Nobody has access yet' : 'Nobody is locked out'}
              description={
                state === 'granted'
                  ? 'Whoever is let in stands here, and can be locked out again.'
                  : 'Whoever pays but had their access revoked stands here, and can get it back.'
              }
            />
          )
        }
        renderRow={(request) => (
          <>
            <Cell className="max-w-56 truncate font-mono font-medium" title={request.tradingViewUsername}>
              {request.tradingViewUsername}
            </Cell>
            <Cell label="Buyer" className="max-w-64">
              <CustomerLink id={request.user.id}>{request.user.name}</CustomerLink>
              <span className="block truncate text-muted">{request.user.email}</span>
            </Cell>
            <Cell label="Paid">
              <Paid purchase={request.purchase} />
            </Cell>
            <Cell label="Decided" className="whitespace-nowrap">
              {request.decidedAt ? <Time value={request.decidedAt} /> : '–'}
            </Cell>
            <Cell className="py-1.5 text-right">
              {request.status === 'granted' ? (
                <Button variant="ghost" size="sm" onClick={() => void askAndRevoke(request)}>
                  Revoke<span className="sr-only"> {request.tradingViewUsername}</span>
                </Button>
              ) : (
                <Button
                  variant="secondary"
                  size="sm"
                  disabled={restore.isPending}
                  onClick={() => restore.mutate({ ids: [request.id] })}
                >
                  Restore<span className="sr-only"> {request.tradingViewUsername}</span>
                </Button>
              )}
            </Cell>
          </>
        )}
      />
    </div>
  )
}

function Paid({ purchase }: { purchase: QueuedRequest['purchase'] }) {
  if (purchase && isLive(purchase.status)) return <Badge tone="good">paid</Badge>
  return <Badge tone="bad">not paid</Badge>
}
