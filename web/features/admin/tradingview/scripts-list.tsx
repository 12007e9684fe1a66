import { useState } from 'react'
import { tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { useData } from '#web/api/client.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { EmptyState, Skeleton } from '#web/ui/card.tsx'
import { runIfConfirmed } from '#web/ui/confirm.tsx'
import { Badge, Notice } from '#web/ui/notice.tsx'
import { ProductChoice, useProducts } from '../parts/products.tsx'
import { Section } from '../parts/section.tsx'

export function ScriptsList() {
  const { data } = useData(tradingViewAdmin.scripts, {})
  const products = useProducts()
  const [chosenProductId, setChosenProductId] = useState<string>()
  const productId = chosenProductId ?? products[0]?.id
  const failed = 'Failed to change the scripts'
  const startUnlocking = useCall(tradingViewAdmin.chooseScript, { failed })
  const stopUnlocking = useCall(tradingViewAdmin.dropScript, { failed })

  const stopQuestion = {
    description: 'People keep access, but we stop managing it. If you turn it on again, we ask before removing anyone.',
    action: 'Stop unlocking',
    destructive: true,
  }

  if (!data) return <Skeleton className="h-24 rounded-lg" />
  const productsWithScript = new Set(data.map(({ product }) => product))
  const productsWithoutScript = products.filter(
    ({ name, state }) => state === 'on sale' && !productsWithScript.has(name),
  )
  return (
    <Section
      title="Scripts"
      beside={<ProductChoice products={products} value={productId} onChange={setChosenProductId} />}
    >
      {productsWithoutScript.map(({ id, name }) => (
        <Notice key={id} tone="bad">
          No script is chosen for {name}. Its buyers are not unlocked by themselves: each waits for you under To do.
        </Notice>
      ))}
      {data.length === 0 ? (
        <EmptyState title="No scripts" description="The account has no invite-only scripts." />
      ) : (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface shadow-card">
          {data.map(({ pineId, name, product, problem }) => (
            <li key={pineId} className="flex flex-wrap items-center gap-3 p-4">
              <span className="min-w-0 flex-[1_1_12rem]">
                <span className="block font-medium">{name}</span>
                {problem && <span className="block text-sm text-danger">{problem}</span>}
              </span>
              {product && !problem && (
                <Badge tone="good">
                  unlocked for buyers
                  {products.length > 1 && ` of ${product}`}
                </Badge>
              )}
              {product && (
                <Button
                  size="sm"
                  variant="ghost"
                  onClick={() =>
                    runIfConfirmed({ title: `Stop unlocking ${name}`, ...stopQuestion }, () =>
                      stopUnlocking.mutate({ pineId }),
                    )
                  }
                >
                  Stop<span className="sr-only"> unlocking {name}</span>
                </Button>
              )}
              {(!product || problem) && (
                <Button
                  size="sm"
                  variant="secondary"
                  disabled={!productId}
                  onClick={() => productId && startUnlocking.mutate({ pineId, productId })}
                >
                  Unlock for buyers<span className="sr-only">: {name}</span>
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
