import { Package } from 'lucide-react'
import { useState } from 'react'
import type { Purchase } from '#contract/selling/purchases.ts'
import { useSettings } from '#web/api/settings.tsx'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { EmptyState, Pending } from '#web/ui/card.tsx'
import { PurchaseRow } from './purchase-row.tsx'
import type { MyPurchases } from './use-purchases.ts'

const initiallyVisibleCount = 6

/** Only the first of several purchases of a product offers to buy it again. */
function mayBuyAgain(purchase: Purchase, allPurchases: Purchase[]) {
  const ofSameProduct = allPurchases.filter(({ product }) => product.slug === purchase.product.slug)
  return purchase === ofSameProduct[0] && !ofSameProduct.some(({ isOngoing }) => isOngoing)
}

export function MyProducts({ query, allPurchases }: MyPurchases) {
  const [isExpanded, setIsExpanded] = useState(false)
  const [firstProduct] = useSettings().products
  if (!allPurchases) return <Pending query={query} what="your products" />
  if (allPurchases.length === 0)
    return (
      <EmptyState
        title="No products yet"
        description={firstProduct.card}
        icon={<Package className="size-8" strokeWidth={1.5} />}
      >
        <ButtonLink href="/products" className="mt-2">
          Browse Products
        </ButtonLink>
      </EmptyState>
    )
  const visiblePurchases = isExpanded ? allPurchases : allPurchases.slice(0, initiallyVisibleCount)
  const hiddenCount = allPurchases.length - visiblePurchases.length
  return (
    <div className="flex flex-col items-start gap-4">
      <ul className="w-full divide-y divide-line rounded-lg border border-line bg-surface shadow-card">
        {visiblePurchases.map((purchase) => (
          <PurchaseRow key={purchase.id} purchase={purchase} mayBuyAgain={mayBuyAgain(purchase, allPurchases)} />
        ))}
      </ul>
      {hiddenCount > 0 && (
        <Button variant="secondary" size="sm" onClick={() => setIsExpanded(true)}>
          Show {query.hasNextPage ? 'more' : `${hiddenCount} more`}
        </Button>
      )}
      {hiddenCount === 0 && query.hasNextPage && (
        <Button
          variant="secondary"
          size="sm"
          pending={query.isFetchingNextPage}
          pendingText="Loading..."
          onClick={() => void query.fetchNextPage()}
        >
          {query.isFetchNextPageError ? 'Loading failed. Try again' : 'Show more'}
        </Button>
      )}
    </div>
  )
}
