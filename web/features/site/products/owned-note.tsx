import type { ReactNode } from 'react'
import { reboundSigmaPro } from '#contract/selling/price-list.ts'
import { useOwned } from '#web/features/selling/checkout/use-owned.ts'
import { Link } from '#web/ui/navigation.tsx'
import { Notice } from '#web/ui/notice.tsx'

export default function OwnedNote({ otherwise }: { otherwise: ReactNode }) {
  const { purchase } = useOwned()
  if (!purchase) return otherwise
  return (
    <Notice className="flex flex-wrap items-center gap-x-3">
      You have a subscription to {reboundSigmaPro.name}.
      <Link href="/dashboard" className="font-medium underline underline-offset-4">
        Go to your dashboard
      </Link>
    </Notice>
  )
}
