import type { ReactNode } from 'react'
import { useOwned } from '#web/features/selling/checkout/use-owned.ts'
import { ButtonLink } from '#web/ui/button.tsx'

export default function Owned({ slug, otherwise }: { slug: string; otherwise: ReactNode }) {
  const { purchase } = useOwned(slug)
  if (!purchase) return otherwise
  return (
    <ButtonLink href="/dashboard" size="lg">
      Open your dashboard
    </ButtonLink>
  )
}
