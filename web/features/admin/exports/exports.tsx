import { Download, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { type ExportKind, exports } from '#contract/admin/exports.ts'
import { figures } from '#contract/admin/figures.ts'
import { bookkeeping } from '#contract/selling/bookkeeping.ts'
import { newsletterAddresses } from '#contract/site/newsletters.ts'
import type { NewsletterState } from '#contract/statuses.ts'
import { send } from '#web/api/client.ts'
import { isStepUpCanceled } from '#web/api/toast-error.ts'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { saveFile } from '#web/ui/save-file.ts'
import { toast } from '#web/ui/toast.tsx'

type FileKind = ExportKind | 'payments' | 'bookkeeping' | 'newsletter'
const exportTitles: Record<FileKind, string> = {
  buyers: 'Buyers',
  orders: 'Orders',
  payments: 'Payments',
  bookkeeping: 'Bookkeeping',
  forms: 'Access Requests',
  newsletter: 'Newsletter',
}
type ExportFilter = { state?: NewsletterState | undefined; period?: string | undefined }

export function useExport() {
  const [running, setRunning] = useState<FileKind>()
  const currentExport = useRef<AbortController>(null)
  useEffect(() => () => currentExport.current?.abort(), [])

  async function run(kind: FileKind, filter: ExportFilter = {}) {
    const filterName = filter.state ?? filter.period
    const controller = new AbortController()
    currentExport.current = controller
    setRunning(kind)
    try {
      const response = await requestExport(kind, filter, controller.signal)
      const file = await response.blob()
      saveFile(`${[kind, filterName, today()].filter(Boolean).join('-')}.csv`, file)
      toast({ title: `${exportTitles[kind]} data exported successfully` })
    } catch (error) {
      if (!controller.signal.aborted && !isStepUpCanceled(error))
        toast({ title: 'Export failed', description: 'Please try again.', destructive: true })
    } finally {
      setRunning(undefined)
    }
  }

  return { running, run, cancel: () => currentExport.current?.abort() }
}

function requestExport(kind: FileKind, { state, period }: ExportFilter, signal: AbortSignal) {
  if (kind === 'newsletter') return send(newsletterAddresses.adminExport, { state }, { signal })
  if (kind === 'payments') return send(figures.adminExportPayments, { period }, { signal })
  if (kind === 'bookkeeping') return send(bookkeeping.adminExportMonth, { period: period ?? '' }, { signal })
  return send(exports.download, { kind }, { signal })
}

/** Date in the seller's time zone; the Swedish locale formats it as 2026-12-31. */
const today = () => new Date().toLocaleDateString('sv-SE')

export function ExportProgress({ kind, onCancel }: { kind: FileKind; onCancel: () => void }) {
  return (
    <div className="flex items-center gap-3">
      <progress aria-label={`Export of ${exportTitles[kind]}`} className="h-1.5 flex-1 accent-accent" />
      <Button variant="ghost" size="sm" onClick={onCancel}>
        <X className="size-4" />
        Cancel
      </Button>
    </div>
  )
}

export function ExportButton(props: {
  kind: FileKind
  running: FileKind | undefined
  run: (kind: FileKind) => Promise<void>
  className: string
  size?: 'sm'
  text?: string
}) {
  const { kind, running, run, className, size, text = `Export ${exportTitles[kind]}` } = props
  return (
    <Button
      variant="secondary"
      size={size}
      className={className}
      disabled={running !== undefined}
      pending={running === kind}
      onClick={() => void run(kind)}
    >
      {running !== kind && <Download className="size-4" />}
      {text}
    </Button>
  )
}

const exportDescriptions = {
  buyers: 'One line per person who bought: name, email, TradingView username, and how many purchases.',
  orders:
    'One line per purchase, for your bookkeeper: amount, refunds, status, kind (paid by card, elsewhere, or a gift), country, what was paid and the tax in it, and Stripe’s ids of invoice, payment, subscription and customer.',
  payments:
    'One line per payment, refund and lost dispute: amount, tax, country, the period it paid for, and the invoice’s number. For a month or a year, export it from Purchases, Payments.',
  forms: 'One line per access request: TradingView username, exchange, and what you decided. Never the keys.',
  newsletter: 'One line per address, with who has confirmed and who has left. Write only to those who confirmed.',
} as const
const listedKinds = Object.keys(exportDescriptions) as (keyof typeof exportDescriptions)[]

export default function Exports() {
  const { running, run, cancel } = useExport()
  return (
    <div className="flex flex-col gap-5">
      <p className="text-muted">CSV files in UTF-8, with times in UTC. Each download is in the audit log.</p>
      <ul className="grid gap-5 md:grid-cols-2">
        {listedKinds.map((kind) => (
          <li key={kind}>
            <Card className="flex h-full flex-col gap-3">
              <h2 className="text-lg">{exportTitles[kind]}</h2>
              <p className="flex-1 text-sm text-muted">{exportDescriptions[kind]}</p>
              {running === kind && <ExportProgress kind={kind} onCancel={cancel} />}
              <ExportButton kind={kind} running={running} run={run} className="self-start" />
            </Card>
          </li>
        ))}
      </ul>
    </div>
  )
}
