import { type ReactNode, useId } from 'react'
import { classes } from '#web/ui/classes.ts'
import { type Href, Link } from '#web/ui/navigation.tsx'
import { Cell, HeadCell, Table } from '#web/ui/table.tsx'

export const FigureRow = ({ children }: { children: ReactNode }) => (
  <dl className="grid grid-cols-1 gap-px overflow-hidden rounded-lg border border-line bg-line shadow-card sm:grid-cols-2 sm:max-xl:*:last:odd:col-span-2 xl:auto-cols-fr xl:grid-flow-col xl:grid-cols-none">
    {children}
  </dl>
)

export function Figure(props: {
  title: string
  meaning?: string
  value: string
  href: Href
  note?: ReactNode
  isBad?: boolean
}) {
  const { title, meaning, value, href, note, isBad } = props
  return (
    <div className="bg-surface p-4">
      <dt className={classes('text-xs leading-6 text-muted', meaning && 'float-left mr-1 max-w-[calc(100%-1.75rem)]')}>
        {title}
      </dt>
      <dd>
        {meaning && <Meaning title={title}>{meaning}</Meaning>}
        <div className="clear-both flex flex-col gap-1 pt-1">
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
        </div>
      </dd>
    </div>
  )
}

function Meaning({ title, children }: { title: string; children: string }) {
  return (
    <details className="text-xs text-muted">
      <summary
        aria-label={`How “${title}” is computed`}
        className="flex size-6 cursor-pointer list-none items-center justify-center rounded-full border border-line font-medium hover:border-field"
      >
        ?
      </summary>
      <p className="clear-both pt-2">{children}</p>
    </details>
  )
}

export function FigureSection(props: { title: string; meaning: string; children: ReactNode }) {
  const { title, meaning, children } = props
  const id = useId()
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col gap-3">
      <header className="flow-root">
        <h2 id={id} className="float-left mr-3 text-lg">
          {title}
        </h2>
        <Meaning title={title}>{meaning}</Meaning>
      </header>
      {children}
    </section>
  )
}

export const EmptyNote = ({ children }: { children: string }) => (
  <p className="rounded-lg border border-dashed border-line px-5 py-4 text-muted">{children}</p>
)

export const linkClasses = 'underline decoration-line underline-offset-4 hover:decoration-current'

export function FigureTable(props: { label: string; heads: readonly string[]; rows: ReactNode[][] }) {
  const { label, heads, rows } = props
  return (
    <Table label={label}>
      <thead>
        <tr>
          {heads.map((title, index) => (
            <HeadCell key={title} className={index > 0 ? 'text-right' : ''}>
              {title}
            </HeadCell>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([rowTitle, ...cells], index) => (
          <tr key={`${index + 1}`}>
            <th scope="row" className="border-b border-line px-4 py-2 text-left font-normal whitespace-nowrap">
              {rowTitle}
            </th>
            {heads.slice(1).map((title, cellIndex) => (
              <Cell key={title} className="py-2 text-right whitespace-nowrap tabular-nums">
                {cells[cellIndex]}
              </Cell>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  )
}
