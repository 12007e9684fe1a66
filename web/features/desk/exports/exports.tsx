import { Card } from '#web/ui/card.tsx'
import { ExportButton, ExportProgress, exportTitles, useExport } from '../parts/exports.tsx'

const files = {
  buyers: 'One line per person who bought: name, email, TradingView username, and how many purchases.',
  orders:
    'One line per purchase, for your bookkeeper: amount, refunds, status, kind (paid by card, elsewhere, or a gift), country, what was paid and the tax in it, and Stripe’s ids of invoice, payment, subscription and customer.',
  payments:
    'One line per payment, refund and lost dispute: amount, tax, country, the period it paid for, and the invoice’s number. For a month or a year, export it from Purchases, Payments.',
  forms: 'One line per access request: TradingView username, exchange, and what you decided. Never the keys.',
  newsletter:
    'One line per address, with who has confirmed and who has left. Write only to those who confirmed.',
} as const
const kinds = Object.keys(files) as (keyof typeof files)[]

export default function Exports() {
  const { progress, run, cancel } = useExport()
  return (
    <div className="flex flex-col gap-5">
      <p className="text-muted">CSV files in UTF-8, with times in UTC. Each download is in the audit log.</p>
      <ul className="grid gap-5 md:grid-cols-2">
        {kinds.map((kind) => (
          <li key={kind}>
            <Card className="flex h-full flex-col gap-3">
              <h2 className="text-lg">{exportTitles[kind]}</h2>
              <p className="flex-1 text-sm text-muted">{files[kind]}</p>
              {progress?.kind === kind && <ExportProgress {...progress} onCancel={cancel} />}
              <ExportButton kind={kind} running={progress?.kind} run={run} className="self-start" />
            </Card>
          </li>
        ))}
      </ul>
    </div>
  )
}
