import { type TradingViewConnection, tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { useData } from '#web/api/client.ts'
import { useCan } from '#web/api/session.ts'
import { Link } from '#web/ui/navigation.tsx'
import { Notice } from '#web/ui/notice.tsx'

const troubleTexts = {
  off: null,
  expired: 'Your TradingView session has ended. Buyers have to wait until you reconnect.',
  blocked: 'TradingView is blocking this server’s address. Run the shop from another address.',
  paused: 'The connection is paused. New buyers wait for you under “To do”.',
}

/** Null if the connection works or is switched off. */
export function troubleOf({ state, downSince, blockedRemovals }: TradingViewConnection): string | null {
  if (state !== 'on') return troubleTexts[state]
  if (downSince) return 'TradingView isn’t answering properly; the shop keeps trying.'
  return blockedRemovals ? `The sync wants to remove ${blockedRemovals} people. Review before it runs.` : null
}

export function ConnectionTroubleBar() {
  const { data } = useData(tradingViewAdmin.show, {}, { enabled: useCan()('access.manage') })
  const trouble = data && troubleOf(data)
  if (!trouble) return null
  return (
    <Notice tone="bad" className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <p className="mr-auto font-medium">{trouble}</p>
      <Link href="/admin/access/connection" className="font-medium underline underline-offset-4">
        Open connection
      </Link>
    </Notice>
  )
}
