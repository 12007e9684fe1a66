import { ChartCandlestick, Copy, Download } from 'lucide-react'
import { useState } from 'react'
import { assets, lastReviewOf, type RecommendedAsset, recentChangeDays } from '#contract/access/assets.ts'
import { dayMs } from '#contract/dates.ts'
import { useData } from '#web/api/client.ts'
import { useListName, useSettings } from '#web/api/settings.tsx'
import { Button } from '#web/ui/button.tsx'
import { EmptyState, Pending } from '#web/ui/card.tsx'
import { Badge } from '#web/ui/notice.tsx'
import { saveFile } from '#web/ui/save-file.ts'
import { Time } from '#web/ui/time.tsx'
import { toast } from '#web/ui/toast.tsx'
import { DashboardSection } from './dashboard-section.tsx'

export function RecommendedAssets() {
  const query = useData(assets.list, {})
  const { data } = query
  const { maker } = useSettings()
  const listName = useListName()
  const lastReviewedAt = data && lastReviewOf(data)
  return (
    <DashboardSection
      id="recommended-assets"
      title="Recommended Assets"
      description={
        <>
          The {listName}
          {maker && ` by ${maker.name}`},{' '}
          {lastReviewedAt ? (
            <Time before="last reviewed on" value={lastReviewedAt} />
          ) : (
            'reviewed at least once a month'
          )}
          . {maker?.name ?? 'Its author'} may hold what is on it. Not investment advice.
        </>
      }
      actions={data && data.length > 0 && <ListActions assetList={data} />}
    >
      {data ? <AssetList assetList={data} /> : <Pending query={query} what={`the ${listName}`} className="h-40" />}
    </DashboardSection>
  )
}

function ListActions({ assetList }: { assetList: RecommendedAsset[] }) {
  const fileName = useListName()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
  async function copy() {
    try {
      await navigator.clipboard.writeText(watchlistOf(assetList))
      toast({ title: 'Copied', description: 'Paste it into a TradingView watchlist.' })
    } catch {
      toast({
        title: 'Failed to copy',
        description: 'Your browser doesn’t allow it. Please use Export Watchlist.',
        destructive: true,
      })
    }
  }
  return (
    <>
      <Button variant="secondary" size="sm" onClick={() => void copy()}>
        <Copy className="size-4" />
        Copy List
      </Button>
      <Button variant="secondary" size="sm" onClick={() => saveFile(`${fileName}.txt`, watchlistOf(assetList))}>
        <Download className="size-4" />
        Export Watchlist
      </Button>
    </>
  )
}

function AssetList({ assetList }: { assetList: RecommendedAsset[] }) {
  const [now] = useState(Date.now)
  const listName = useListName()
  if (assetList.length === 0)
    return (
      <EmptyState
        title="No recommended assets yet. Check back soon."
        description={`The ${listName} appears here. Until then, the indicator works on any liquid stock or ETF.`}
        icon={<ChartCandlestick className="size-8" strokeWidth={1.5} />}
      />
    )
  const newSince = new Date(now - recentChangeDays * dayMs).toISOString()
  // In a new list, where all symbols are new, none is marked.
  const hasOlderAssets = assetList.some(({ createdAt }) => createdAt < newSince)
  const isNew = ({ createdAt }: RecommendedAsset) => hasOlderAssets && createdAt >= newSince
  return (
    <>
      <ul className="grid gap-x-10 border-t border-line sm:grid-cols-2 lg:grid-cols-3">
        {assetList.map((asset) => (
          <li key={asset.id} className="border-b border-line">
            <a
              href={`https://www.tradingview.com/chart/?symbol=${encodeURIComponent(asset.ticker)}`}
              target="_blank"
              rel="noreferrer"
              className="group flex min-h-12 flex-wrap items-baseline gap-x-4 py-3"
            >
              <span className="font-mono font-medium break-all underline decoration-line underline-offset-4 group-hover:decoration-accent">
                {asset.ticker}
              </span>
              {isNew(asset) && <Badge>new</Badge>}
              {asset.note && <span className="text-sm break-words text-muted">{asset.note}</span>}
              <span className="sr-only">chart on TradingView, in a new tab</span>
            </a>
          </li>
        ))}
      </ul>
      <RemovedAssets />
    </>
  )
}

function RemovedAssets() {
  const { data } = useData(assets.recentlyRemoved, {})
  if (!data || data.length === 0) return null
  return (
    <p className="mt-4 text-sm text-muted">
      Left this month: <span className="font-mono">{data.map(({ ticker }) => ticker).join(', ')}</span>
    </p>
  )
}

/** Text in the format that TradingView imports as a watchlist: symbols separated by commas. */
function watchlistOf(assetList: { ticker: string }[]) {
  return assetList.map(({ ticker }) => ticker).join(',')
}
