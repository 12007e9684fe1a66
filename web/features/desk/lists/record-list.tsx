import { FileUp, Plus, Search, X } from 'lucide-react'
import { type ComponentType, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { type Sorting, sortings } from '#contract/endpoint.ts'
import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/card.tsx'
import { classes } from '#web/ui/classes.ts'
import { Input, Select } from '#web/ui/input.tsx'
import { type Href, useNavigation } from '#web/ui/navigation.tsx'
import { RecordTable, type TableProps } from './record-table.tsx'
import { useDialog, useFilters } from './use-filters.ts'

type Chip = { text: string; remove: () => void }
type Props<Item> = Omit<TableProps<Item>, 'empty'> & {
  /** What the list is searched and filtered by: see `useFilters`. */
  chosen?: object
  /** What the search box says; without it, there is none. */
  search?: string
  /** Filters and buttons beside the search box. */
  controls?: ReactNode
  /** Filters that a link set and no field shows; each can be removed. */
  chips?: (Chip | '' | undefined)[]
  /** In place of a list with nothing in it. */
  none: { title: string; description: string }
}

/** A list with its search box, its filters, and what it says when it is empty. */
export function RecordList<Item extends { id: string | number }>(props: Props<Item>) {
  const { chosen = {}, search, controls, chips = [], none, ...table } = props
  const isFiltered = Object.keys(chosen).some((name) => name !== 'sort')
  return (
    <div className="flex flex-col gap-5">
      {(search || controls) && (
        <div className="flex flex-wrap items-center gap-3">
          {search && <SearchBox placeholder={search} />}
          {controls}
        </div>
      )}
      <Chips chips={chips} />
      <RecordTable
        {...table}
        empty={isFiltered ? <NoMatch title={`No ${table.noun[1]} found`} /> : <EmptyState {...none} />}
      />
    </div>
  )
}

const searching = { q: 'text' } as const

/** A debounced search box. It follows `q`, which lives in the address, when something else changes that. */
function SearchBox({ placeholder }: { placeholder: string }) {
  const [{ q = '' }, choose] = useFilters(searching)
  const [typed, setTyped] = useState(q)
  const [known, setKnown] = useState(q)
  if (q !== known) {
    setKnown(q)
    if (q !== typed.trim()) setTyped(q)
  }
  const search = useRef(choose)
  useEffect(() => {
    search.current = choose
  })
  useEffect(() => {
    if (typed.trim() === q) return undefined
    const timer = setTimeout(() => search.current({ q: typed.trim() }), 250)
    return () => clearTimeout(timer)
  }, [typed, q])
  return (
    <div className="relative w-full lg:max-w-sm lg:flex-1">
      <Search
        className="pointer-events-none absolute top-1/2 left-3.5 size-4 -translate-y-1/2 text-muted"
        aria-hidden="true"
      />
      <Input
        type="search"
        aria-label={placeholder.replace('...', '')}
        placeholder={placeholder}
        maxLength={100}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className="pl-10"
      />
    </div>
  )
}

/** A choice of one value, or of all of them, which `all` names. */
export function Filter<Value extends string>(props: {
  label: string
  all: string
  options: readonly (readonly [Value, string])[]
  value: Value | undefined
  onChange: (value: Value | undefined) => void
}) {
  const { label, all, options, value = '', onChange } = props
  return (
    <div className="max-sm:grow max-sm:basis-[45%] sm:w-40">
      <Select
        aria-label={label}
        value={value}
        onChange={({ target }) => onChange(options.find(([option]) => option === target.value)?.[0])}
      >
        <option value="">{all}</option>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </Select>
    </div>
  )
}

/** A choice of one value that shows them all, each with how many there are, if that is known. */
export function Pills<Value>(props: {
  options: readonly { value: Value; text: string; count?: number }[]
  value: Value
  onChange: (value: Value) => void
}) {
  return (
    <fieldset className="flex min-w-0 flex-wrap gap-2">
      <legend className="sr-only">Show</legend>
      {props.options.map(({ value, text, count }) => (
        <button
          key={text}
          type="button"
          aria-pressed={value === props.value}
          onClick={() => props.onChange(value)}
          className={classes(
            'inline-flex h-9 cursor-pointer items-center gap-1.5 rounded-full border px-3.5 text-sm font-medium',
            value === props.value
              ? 'border-accent bg-accent-soft text-accent-strong'
              : 'border-line bg-surface text-muted hover:text-ink',
          )}
        >
          {text} {count !== undefined && <span className="tabular-nums">{count}</span>}
        </button>
      ))}
    </fieldset>
  )
}

const otherSortings = sortings
  .filter((sorting) => sorting !== 'newest')
  .map((sorting) => [sorting, 'Oldest first'] as const)

/** Newest first is how a list comes by itself. */
export function SortFilter(props: {
  label: string
  value: Sorting | undefined
  onChange: (sort: Sorting | undefined) => void
}) {
  return <Filter<Sorting> all="Newest first" options={otherSortings} {...props} />
}

function Chips({ chips }: { chips: (Chip | '' | undefined)[] }) {
  const present = chips.filter((chip) => chip !== undefined && chip !== '')
  if (present.length === 0) return null
  return (
    <ul className="flex flex-wrap gap-2">
      {present.map(({ text, remove }) => (
        <li key={text}>
          <button
            type="button"
            onClick={remove}
            aria-label={`Remove filter: ${text}`}
            className="inline-flex h-9 cursor-pointer items-center gap-2 rounded-full bg-accent-soft px-3.5 text-sm font-medium text-accent-strong"
          >
            {text}
            <X className="size-3.5" aria-hidden="true" />
          </button>
        </li>
      ))}
    </ul>
  )
}

/** In place of a list that has nothing for this search and these filters, which live in the address. */
function NoMatch({ title }: { title: string }) {
  const { pathname, navigate } = useNavigation()
  return (
    <EmptyState title={title}>
      <Button variant="secondary" size="sm" onClick={() => navigate(pathname as Href, { replace: true })}>
        Show all
      </Button>
    </EmptyState>
  )
}

/** A button that owns its dialog, so opening it doesn't rerender the table. */
export function AddButton(props: {
  text: string
  dialog: ComponentType<{ onClose: () => void }>
  /** Beside the one that adds a single record. */
  isImport?: boolean
}) {
  const { text, dialog: AddDialog, isImport } = props
  const [isOpen, setIsOpen] = useDialog(isImport ? 'import' : 'add')
  const Icon = isImport ? FileUp : Plus
  return (
    <>
      <Button
        variant={isImport ? 'secondary' : 'primary'}
        className={classes('max-sm:w-full', !isImport && 'sm:ml-auto')}
        onClick={() => setIsOpen(true)}
      >
        <Icon className="size-4" aria-hidden="true" />
        {text}
      </Button>
      <Suspense fallback={null}>{isOpen && <AddDialog onClose={() => setIsOpen(false)} />}</Suspense>
    </>
  )
}
