import type { ReactNode } from 'react'
import { Icon } from '#web/ui/icon.tsx'

/** What a dialog can do beyond docs/product.md. Untouched, nothing of it happens. */
export function MoreOptions({ children }: { children: ReactNode }) {
  return (
    <details className="group">
      <summary className="flex w-fit cursor-pointer list-none items-center gap-1.5 rounded-sm text-sm font-medium text-muted hover:text-ink">
        More options
        <Icon name="chevron" className="size-4 transition-transform group-open:rotate-180" />
      </summary>
      <div className="flex flex-col gap-5 pt-5">{children}</div>
    </details>
  )
}
