import { useIsAdmin } from '#web/api/session.ts'
import { RequestQueue } from './access/request-queue.tsx'
import { ToRevoke } from './access/to-revoke.tsx'
import { TradingViewConnection, TradingViewRecords } from './tradingview/tradingview.tsx'

export default function AccessTab() {
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
