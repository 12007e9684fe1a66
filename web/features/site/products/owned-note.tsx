import type { ReactNode } from 'react'
import type { ListedProduct } from '#contract/selling/product.ts'
import { useOwned } from '#web/features/selling/checkout/use-owned.ts'
import { Link } from '#web/ui/navigation.tsx'
import { Notice } from '#web/ui/notice.tsx'

export default function OwnedNote({ product, otherwise }: { product: ListedProduct; otherwise: ReactNode }) {
  const { purchase } = useOwned(product.slug)
  if (!purchase) return otherwise
  return (
    <Notice className="flex flex-wrap items-center gap-x-3">
      You have a subscription to {product.name}.
      <Link href="/dashboard" className="font-medium underline underline-offset-4">
        Go to your dashboard
      </Link>
    </Notice>
  )
}
