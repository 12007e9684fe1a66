import { tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { reboundSigmaPro } from '#contract/selling/price-list.ts'
import { useCall } from '#web/api/use-call.ts'
import { useData } from '#web/api/use-data.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { EmptyState, Skeleton } from '#web/ui/card.tsx'
import { confirm } from '#web/ui/confirm.tsx'
import { refreshes } from './refreshes.ts'

/** The account's own scripts: which of them buyers get. */
export function ScriptsList() {
  const { data } = useData(tradingViewAdmin.scripts, {})
  const failed = 'Failed to change the scripts'
  const choose = useCall(tradingViewAdmin.chooseScript, { refreshes, failed })
  const drop = useCall(tradingViewAdmin.dropScript, { refreshes, failed })

  async function askAndDrop(pineId: string, name: string) {
    const yes = await confirm({
      title: `Stop unlocking ${name}`,
      description:
        'People keep access, but we stop managing it. If you turn it on again, we ask before removing anyone.',
      action: 'Stop unlocking',
      destructive: true,
    })
    if (yes) drop.mutate({ pineId })
  }

  if (!data) return <Skeleton className="h-24 rounded-lg" />
  return (
    <section aria-labelledby="tradingview-scripts" className="flex flex-col gap-4">
      <h2 id="tradingview-scripts" className="text-xl">
        Scripts
      </h2>
      {data.length === 0 ? (
        <EmptyState title="No scripts" description="The account has no invite-only scripts." />
      ) : (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface shadow-card">
          {data.map(({ pineId, name, isChosen, problem }) => (
            <li key={pineId} className="flex flex-wrap items-center gap-3 p-4">
              <span className="min-w-0 flex-[1_1_12rem]">
                <span className="block font-medium">{name}</span>
                {problem && <span className="block text-sm text-danger">{problem}</span>}
              </span>
              {isChosen && !problem && <Badge tone="good">unlocked for buyers</Badge>}
              {isChosen && (
                <Button size="sm" variant="ghost" onClick={() => void askAndDrop(pineId, name)}>
                  Stop<span className="sr-only"> unlocking {name}</span>
                </Button>
              )}
              {(!isChosen || problem) && (
                <Button
                  size="sm"
                  variant="secondary"
                  onClick={() => choose.mutate({ pineId, productId: reboundSigmaPro.id })}
                >
                  Unlock for buyers<span className="sr-only">: {name}</span>
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
