import { Lock } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { Skeleton } from '#web/ui/card.tsx'

/** Has the height of Stripe's card fields, so that nothing moves when they appear. */
export function CardFieldsSkeleton() {
  return (
    <output aria-label="Loading the payment form" className="flex min-h-52 flex-col gap-4">
      <Skeleton className="h-16" />
      <div className="grid grid-cols-2 gap-4">
        <Skeleton className="h-16" />
        <Skeleton className="h-16" />
      </div>
      <Skeleton className="h-7 w-3/4" />
    </output>
  )
}

export function CardFormSkeleton({ label, children }: { label: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col gap-6">
      <CardFieldsSkeleton />
      {children}
      <Button size="lg" className="w-full" disabled>
        <Lock aria-hidden="true" className="size-4" />
        {label}
      </Button>
    </div>
  )
}
