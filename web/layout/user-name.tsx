import { ChevronDown } from 'lucide-react'

export const userButtonClasses =
  'flex h-9 max-w-full items-center gap-1.5 rounded-md border border-line bg-surface px-3 text-sm font-medium hover:border-field'

export function UserName({ name, className = 'contents' }: { name: string; className?: string }) {
  return (
    <span className={className}>
      <span className="truncate">{name || 'Account'}</span>
      <ChevronDown className="shrink-0 size-4 text-muted" />
    </span>
  )
}
