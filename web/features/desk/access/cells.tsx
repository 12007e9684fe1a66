import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { toastError } from '#web/api/use-call.ts'
import { toast } from '#web/ui/toast.tsx'

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
      className="inline-flex max-w-full cursor-pointer items-center gap-2 rounded-sm text-left font-mono text-sm font-medium break-all hover:text-accent-strong"
    >
      {text}
      <Icon className="size-3.5 shrink-0 text-muted" aria-hidden="true" />
    </button>
  )
}
