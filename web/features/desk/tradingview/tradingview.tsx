import { tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { useData } from '#web/api/use-data.ts'
import { Skeleton } from '#web/ui/card.tsx'
import { Failed } from '../lists/record-table.tsx'
import { ConnectionCard } from './connection-card.tsx'
import { AttentionList, Differences } from './differences.tsx'
import { MeterCard } from './meter-card.tsx'
import { PeopleTable } from './people-table.tsx'
import { ScriptsList } from './scripts-list.tsx'

/** The connector, above the manual queue that takes over without it. */
export function TradingViewConnection() {
  const { data, isError, refetch } = useData(tradingViewAdmin.show, {})
  if (isError) return <Failed retry={() => void refetch()} />
  if (!data) return <Skeleton className="h-32 rounded-lg" />
  return (
    <>
      <ConnectionCard connection={data} />
      {data.state !== 'off' && (
        <>
          <MeterCard connection={data} />
          <AttentionList />
        </>
      )}
    </>
  )
}

/** Below the queue: what there is to look up. */
export function TradingViewRecords() {
  const { data } = useData(tradingViewAdmin.show, {})
  if (!data || data.state === 'off') return null
  return (
    <>
      <Differences />
      <PeopleTable />
      <ScriptsList />
    </>
  )
}
