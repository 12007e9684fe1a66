import { FileUp, ListFilter, Plus, Search, X } from 'lucide-react'
import { type ComponentType, type ReactNode, Suspense, useEffect, useEffectEvent, useState } from 'react'
import type { Endpoint, InputOf, OutputOf } from '#contract/endpoint.ts'
import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/card.tsx'
import { classes } from '#web/ui/classes.ts'
import { Input, type Options, Select } from '#web/ui/input.tsx'
import { type Href, useNavigation } from '#web/ui/navigation.tsx'
import { RecordTable, type TableProps, usePages } from './record-table.tsx'
import { type FilterChoices, useDialog, useFilters } from './use-filters.ts'

type ListEndpoint = Endpoint & { answer?: 'list' }
type ListInput<E extends ListEndpoint> = Omit<InputOf<E>, 'limit' | 'cursor'>
type ItemOf<E extends ListEndpoint> = OutputOf<E> extends (infer Item extends { id: string | number })[] ? Item : never

/** `all` is the text for no choice. */
export type Filter = { label: string; all: string; options: Options }
/** Texts by value of the filter, or a function for a filter with any value. */
type Chip = Partial<Record<string, string>> | ((value: string) => string)

type Props<E extends ListEndpoint> = Omit<TableProps<ItemOf<E>>, 'empty' | 'query'> & {
  list: E
  input?: ListInput<E>
  /** Placeholder of the search box. A list without it has no search box. */
  search?: string
  filters?: { [Name in keyof ListInput<E>]?: Filter }
  /** Removable chips for filters that only a link can set. */
  chips?: { [Name in keyof ListInput<E>]?: Chip }
  /** Filters that other controls show, with their allowed values. */
  shownElsewhere?: { [Name in keyof ListInput<E>]?: readonly string[] }
  controls?: ReactNode
  none: { title: string; description?: string }
}

const newestFirst = { all: 'Newest first', options: [['oldest', 'Oldest first']] } as const
export const sorting = (label: string): Filter => ({ label, ...newestFirst })

export function RecordList<E extends ListEndpoint>(props: Props<E>) {
  const { list, input, search, filters = {}, chips = {}, shownElsewhere = {}, controls, none, ...table } = props
  const selects = Object.entries<Filter>(filters)
  const chipEntries = Object.entries<Chip>(chips)
  const choices: FilterChoices = {}
  if (search) choices.q = 'text'
  for (const [name, values] of Object.entries<readonly string[]>(shownElsewhere)) choices[name] = values
  for (const [name, { options }] of selects) choices[name] = options.map(([value]) => value)
  for (const [name, texts] of chipEntries) choices[name] = typeof texts === 'function' ? 'text' : Object.keys(texts)
  const [filterValues, setFilters] = useFilters(choices)
  const query = usePages(list, { ...filterValues, ...input } as ListInput<E>)
  const activeChips: { name: string; text: string }[] = []
  for (const [name, texts] of chipEntries) {
    const value = filterValues[name]
    if (value) activeChips.push({ name, text: textOfChip(texts, value) })
  }
  // Only on a phone; wider screens always show the filters.
  const [areFiltersOpen, setAreFiltersOpen] = useState(false)
  const chosenCount = selects.filter(([name]) => filterValues[name]).length
  const isFiltered = Object.keys(filterValues).some((name) => name !== 'sort')
  return (
    <div className="flex flex-col gap-5">
      {(search || controls || selects.length > 0) && (
        <div className="flex flex-wrap items-center gap-3">
          {search && <SearchBox placeholder={search} />}
          {selects.length > 0 && (
            <Button
              variant="secondary"
              size="icon"
              aria-label={chosenCount > 0 ? `Filter, ${chosenCount} chosen` : 'Filter'}
              aria-expanded={areFiltersOpen}
              className={classes('sm:hidden', chosenCount > 0 && 'border-accent text-accent-strong')}
              onClick={() => setAreFiltersOpen(!areFiltersOpen)}
            >
              <ListFilter className="size-4.5" />
            </Button>
          )}
          {selects.map(([name, filter]) => (
            <FilterSelect
              key={name}
              {...filter}
              className={areFiltersOpen ? 'max-sm:order-1' : 'max-sm:hidden'}
              value={filterValues[name]}
              onChange={(value) => setFilters({ [name]: value })}
            />
          ))}
          {controls}
        </div>
      )}
      {activeChips.length > 0 && (
        <ul className="flex flex-wrap gap-2">
          {activeChips.map(({ name, text }) => (
            <li key={name}>
              <button
                type="button"
                onClick={() => setFilters({ [name]: undefined })}
                aria-label={`Remove filter: ${text}`}
                className="inline-flex h-9 cursor-pointer items-center gap-2 rounded-full bg-accent-soft px-3.5 text-sm font-medium text-accent-strong"
              >
                {text}
                <X className="size-3.5" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <RecordTable
        {...table}
        query={query}
        empty={isFiltered ? <NoMatch title={`No ${table.noun[1]} found`} /> : <EmptyState {...none} />}
      />
    </div>
  )
}

const textOfChip = (texts: Chip, value: string) =>
  typeof texts === 'function' ? texts(value) : (texts[value] ?? value)

const searchFilter = { q: 'text' } as const

/** Debounced search box that also follows changes of `q` in the address. */
function SearchBox({ placeholder }: { placeholder: string }) {
  const [{ q = '' }, setFilters] = useFilters(searchFilter)
  const [text, setText] = useState(q)
  const [lastQuery, setLastQuery] = useState(q)
  // Back, or a link, has changed the search.
  if (q !== lastQuery) {
    setLastQuery(q)
    if (q !== text.trim()) setText(q)
  }
  const search = useEffectEvent(() => setFilters({ q: text.trim() }))
  useEffect(() => {
    if (text.trim() === q) return undefined
    const timer = setTimeout(() => search(), 250)
    return () => clearTimeout(timer)
  }, [text, q])
  return (
    <div className="relative min-w-40 flex-1 lg:max-w-sm">
      <Search className="pointer-events-none absolute top-1/2 left-3.5 size-4 -translate-y-1/2 text-muted" />
      <Input
        type="search"
        aria-label={placeholder.replace('...', '')}
        placeholder={placeholder}
        maxLength={100}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="pl-10"
      />
    </div>
  )
}

type SelectProps = Filter & {
  value: string | undefined
  onChange: (value: string | undefined) => void
  className?: string
}

export function FilterSelect({ label, all, options, value = '', onChange, className }: SelectProps) {
  return (
    <div className={classes('max-sm:grow max-sm:basis-[45%] sm:w-40', className)}>
      <Select
        aria-label={label}
        options={[['', all], ...options]}
        value={value}
        onChange={({ target }) => onChange(target.value || undefined)}
      />
    </div>
  )
}

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

type AddButtonProps = {
  text: string
  dialog: ComponentType<{ onClose: () => void }>
  isImport?: boolean
  /** Shows the text on phones, too. Set where no search box needs the space. */
  isAlone?: boolean
}

/** The button owns its dialog, so opening the dialog doesn't rerender the table. */
export function AddButton({ text, dialog: AddDialog, isImport, isAlone }: AddButtonProps) {
  const [isOpen, setIsOpen] = useDialog(isImport ? 'import' : 'add')
  const Icon = isImport ? FileUp : Plus
  return (
    <>
      <Button
        variant={isImport ? 'secondary' : 'primary'}
        className={classes(isAlone ? 'max-sm:w-full' : 'max-sm:px-3', !isImport && 'sm:ml-auto')}
        onClick={() => setIsOpen(true)}
      >
        <Icon className="size-4" />
        <span className={isAlone ? '' : 'max-sm:sr-only'}>{text}</span>
      </Button>
      <Suspense fallback={null}>{isOpen && <AddDialog onClose={() => setIsOpen(false)} />}</Suspense>
    </>
  )
}
