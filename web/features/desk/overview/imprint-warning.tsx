import { TriangleAlert } from 'lucide-react'
import { settings } from '#contract/desk/settings.ts'
import { useData } from '#web/api/use-data.ts'
import { Link } from '#web/ui/navigation.tsx'

const needed = new Set(['SELLER_NAME', 'SELLER_STREET', 'SELLER_CITY', 'SELLER_COUNTRY'])

/** Selling without an imprint is unlawful in most of Europe, so the seller can't overlook it. */
export function ImprintWarning() {
  const { data } = useData(settings.adminShow, {})
  const missing = (data?.settings ?? [])
    .filter(({ name, value }) => needed.has(name) && !value)
    .map(({ name }) => name)
  if (missing.length === 0) return null
  return (
    <div role="alert" className="flex gap-4 rounded-lg border-2 border-danger bg-danger-soft p-5">
      <TriangleAlert aria-hidden="true" className="mt-0.5 size-6 shrink-0 text-danger" />
      <div className="flex min-w-0 flex-col gap-1">
        <p className="font-semibold text-danger">Your imprint is incomplete</p>
        <p>
          By law, visitors must know who is selling to them. Set{' '}
          <span className="font-mono text-sm break-words">{missing.join(', ')}</span> under{' '}
          <Link href="/admin/settings" className="font-medium underline underline-offset-2">
            Settings
          </Link>
          , then look at the{' '}
          <Link href="/legal/imprint" className="font-medium underline underline-offset-2">
            imprint
          </Link>
          .
        </p>
      </div>
    </div>
  )
}
