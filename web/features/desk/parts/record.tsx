import { ArrowLeft } from 'lucide-react'
import { EmptyState } from '#web/ui/card.tsx'
import { type Href, Link } from '#web/ui/navigation.tsx'
import { lastList } from '../shell/place.ts'

/** To the list someone came from, or the record's own. */
export function BackLink({ list }: { list: Href }) {
  return (
    <Link
      href={lastList(list)}
      className="inline-flex w-fit items-center gap-1.5 text-sm font-medium text-muted hover:text-ink"
    >
      <ArrowLeft className="size-4" />
      Back
    </Link>
  )
}

/** Whether the address names no record. */
export const isMissing = (error: Error | null) =>
  error !== null && 'status' in error && (error.status === 404 || error.status === 400)

export function NoSuch(props: { title: string; description: string; list: Href; all: string }) {
  const { title, description, list, all } = props
  return (
    <EmptyState title={title} description={description}>
      <Link href={list} className="font-medium text-accent-strong underline">
        {all}
      </Link>
    </EmptyState>
  )
}
