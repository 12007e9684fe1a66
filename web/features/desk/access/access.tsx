import { useIsAdmin } from '#web/api/session.ts'
import { TradingViewConnection, TradingViewRecords } from '../tradingview/tradingview.tsx'
import { RequestQueue } from './request-queue.tsx'
import { ToRevoke } from './to-revoke.tsx'

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
