import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/card.tsx'
import { useNavigation } from '#web/ui/navigation.tsx'

/** In place of a list that has nothing for this search and these filters, which live in the address. */
export function NoMatch({ title }: { title: string }) {
  const { pathname, navigate } = useNavigation()
  return (
    <EmptyState title={title}>
      <Button variant="secondary" size="sm" onClick={() => navigate(pathname, { replace: true })}>
        Show all
      </Button>
    </EmptyState>
  )
}
