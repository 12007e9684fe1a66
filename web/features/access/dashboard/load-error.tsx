import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'

/** Shown in place of a section that failed to load. */
export function LoadError({ what, retry }: { what: string; retry: () => unknown }) {
  return (
    <Card role="alert" className="flex flex-wrap items-center justify-between gap-4">
      <p>We couldn’t load {what}.</p>
      <Button variant="secondary" size="sm" onClick={() => void retry()}>
        Try again
      </Button>
    </Card>
  )
}
