import { useSettings } from '../api/settings.tsx'

export function TestRibbon() {
  return (
    <aside aria-label="Test mode" className="bg-warning-soft px-5 py-2 text-center text-sm text-warning">
      <strong className="font-semibold">Test mode.</strong> No real payments are made.{' '}
      {useSettings().testMode === 'open' && (
        <a href="/_sandbox/" className="font-medium underline underline-offset-2">
          Open the payment sandbox
        </a>
      )}
    </aside>
  )
}
