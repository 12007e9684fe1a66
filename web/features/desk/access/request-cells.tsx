import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import type { QueuedRequest } from '#contract/access/access-requests.ts'
import { toastError } from '#web/api/use-call.ts'
import { Cell } from '#web/ui/table.tsx'
import { toast } from '#web/ui/toast.tsx'
import { CustomerLink } from '../customers/customer-link.tsx'

export function Buyer({ request: { user, additionalInfo } }: { request: QueuedRequest }) {
  return (
    <Cell className="max-w-64">
      <CustomerLink id={user.id}>{user.name}</CustomerLink>
      <span className="block truncate text-muted">{user.email}</span>
      {additionalInfo && (
        <span className="mt-1 block text-xs break-words text-muted">“{additionalInfo}”</span>
      )}
    </Cell>
  )
}

export function CopyButton({ text }: { text: string }) {
  const [copied, setCopied] = useState(false)
  const Icon = copied ? Check : Copy

  async function copy() {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 2000)
    toast({ title: 'Copied', description: text })
  }

  return (
    <button
      type="button"
      aria-label={`Copy ${text}`}
      onClick={() => void copy().catch((error: unknown) => toastError('Failed to copy', error))}
      className="inline-flex cursor-pointer items-center gap-2 rounded-sm font-mono text-sm font-medium hover:text-accent-strong"
    >
      {text}
      <Icon className="size-3.5 text-muted" aria-hidden="true" />
    </button>
  )
}
