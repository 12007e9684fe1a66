import { EmptyState } from '#web/ui/card.tsx'
import { type Href, Link } from '#web/ui/navigation.tsx'

/** True if no record has the id in the address. Status 400 refuses a text that is no id. */
export const isMissing = (error: Error | null) =>
  error !== null && 'status' in error && (error.status === 404 || error.status === 400)

export function RecordNotFound(props: { title: string; description: string; list: Href; all: string }) {
  const { title, description, list, all } = props
  return (
    <EmptyState title={title} description={description}>
      <Link href={list} className="font-medium text-accent-strong underline">
        {all}
      </Link>
    </EmptyState>
  )
}
