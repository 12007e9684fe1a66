import { accessRequests, grantedStates, type QueuedRequest } from '#contract/access/access-requests.ts'
import { overview } from '#contract/desk/overview.ts'
import { isLive } from '#contract/statuses.ts'
import { useCall } from '#web/api/use-call.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { confirm } from '#web/ui/confirm.tsx'
import { Cell } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { CustomerLink } from '../customers/customer-link.tsx'
import { Filter, RecordList } from '../lists/record-list.tsx'
import { action } from '../lists/record-table.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { usePages } from '../lists/use-pages.ts'

const choices = { q: 'text', state: grantedStates } as const
const columns = ['TradingView username', 'Buyer', 'Paid', 'Decided', action]
const changing = {
  refreshes: [accessRequests.adminGranted, accessRequests.adminToRevoke, overview.adminShow],
}

/** Everyone who has access, and those who pay but had it revoked by the seller. */
export default function Granted() {
  const [chosen, choose] = useFilters(choices)
  const { q, state } = chosen
  const query = usePages(accessRequests.adminGranted, { q, state: state ?? 'granted' })
  const revoke = useCall(accessRequests.adminRevoke, {
    ...changing,
    succeeded: { title: 'Access revoked', description: 'The buyer gets an email.' },
    failed: 'Failed to revoke access',
  })
  const restore = useCall(accessRequests.adminRestore, {
    ...changing,
    succeeded: { title: 'Access restored', description: 'The buyer gets an email in a minute.' },
    failed: 'Failed to restore access',
  })

  async function askAndRevoke({ id, tradingViewUsername, purchase }: QueuedRequest) {
    const yes = await confirm({
      title: 'Revoke access',
      description: `Revoke the access of ${tradingViewUsername}?${purchase && isLive(purchase.status) ? ' They still pay for it; you can restore it as long as they do.' : ''} Unless TradingView is connected, remove them there by hand, too.`,
      action: 'Revoke access',
      destructive: true,
    })
    if (yes) revoke.mutate({ ids: [id] })
  }

  return (
    <RecordList
      label="Granted access"
      noun={['person', 'people']}
      columns={columns}
      query={query}
      chosen={chosen}
      search="Search by username, email or name..."
      controls={
        <Filter
          label="State"
          all="Granted"
          options={[['revoked', 'Revoked, but paid']]}
          value={state === 'revoked' ? state : undefined}
          onChange={(revoked) => choose({ state: revoked })}
        />
      }
      none={{
        title: 'No one has access yet',
        description: 'People with access appear here. You can revoke it any time.',
      }}
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
  )
}

function Paid({ purchase }: { purchase: QueuedRequest['purchase'] }) {
  if (purchase && isLive(purchase.status)) return <Badge tone="good">paid</Badge>
  return <Badge tone="bad">not paid</Badge>
}
