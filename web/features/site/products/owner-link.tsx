import type { ReactNode } from 'react'
import { useOwned } from '#web/features/selling/checkout/use-owned.ts'
import { ButtonLink } from '#web/ui/button.tsx'

/** `fallback` is for everyone but owners of the product. */
export default function OwnerLink({ slug, fallback }: { slug: string; fallback: ReactNode }) {
  const { purchase } = useOwned(slug)
  if (!purchase) return fallback
  return (
    <ButtonLink href="/dashboard" size="lg">
      Open your dashboard
    </ButtonLink>
  )
}
