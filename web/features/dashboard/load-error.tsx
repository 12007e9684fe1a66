import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'

/** What stands where a part of the page could not be loaded. */
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
