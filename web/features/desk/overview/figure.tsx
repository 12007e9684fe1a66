import type { ReactNode } from 'react'
import { classes } from '#web/ui/classes.ts'
import { type Href, Link } from '#web/ui/navigation.tsx'

export function Figure(props: {
  title: string
  /** How it is computed. */
  meaning?: string
  value: string
  /** The list behind the figure. */
  href: Href
  note?: ReactNode
  isBad?: boolean
}) {
  const { title, meaning, value, href, note, isBad } = props
  return (
    <div className="flex flex-col gap-2 bg-surface p-4">
      <dt className="text-xs text-muted">{title}</dt>
      <dd className="flex flex-col gap-1">
        <Link
          href={href}
          aria-label={`${title}: ${value}`}
          className={classes(
            'w-fit text-xl font-semibold tabular-nums underline-offset-4 hover:underline',
            isBad && 'text-danger',
          )}
        >
          {value}
        </Link>
        {note && <span className="block text-xs text-muted">{note}</span>}
        {meaning && <Meaning title={title}>{meaning}</Meaning>}
      </dd>
    </div>
  )
}

/** A “?” that says how a figure is computed: by pointer, finger, and keyboard alike. */
export function Meaning({ title, children }: { title: string; children: string }) {
  return (
    <details className="text-xs text-muted">
      <summary
        aria-label={`How “${title}” is computed`}
        className="flex size-6 cursor-pointer list-none items-center justify-center rounded-full border border-line font-medium hover:border-field"
      >
        ?
      </summary>
      <p className="pt-2">{children}</p>
    </details>
  )
}
