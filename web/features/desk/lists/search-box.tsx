import { Search, X } from 'lucide-react'
import { type ComponentProps, useEffect, useRef, useState } from 'react'
import { type Sorting, sortings } from '#contract/endpoint.ts'
import { Input, Select } from '#web/ui/input.tsx'

/** A debounced search box. It follows `q`, which lives in the address, when something else changes that. */
export function SearchBox(props: {
  placeholder: string
  q: string | undefined
  onSearch: (q: string) => void
}) {
  const { placeholder, q = '', onSearch } = props
  const [typed, setTyped] = useState(q)
  const [known, setKnown] = useState(q)
  if (q !== known) {
    setKnown(q)
    if (q !== typed.trim()) setTyped(q)
  }
  const search = useRef(onSearch)
  useEffect(() => {
    search.current = onSearch
  })
  useEffect(() => {
    if (typed.trim() === q) return undefined
    const timer = setTimeout(() => search.current(typed.trim()), 250)
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

/** A filter next to the search box. */
export function Filter(props: ComponentProps<typeof Select>) {
  return (
    <div className="max-sm:grow max-sm:basis-[45%] sm:w-40">
      <Select {...props} />
    </div>
  )
}

const sortingTexts = { newest: 'Newest first', oldest: 'Oldest first' }

export function SortFilter(props: {
  label: string
  value: Sorting | undefined
  onChange: (sort: Sorting | undefined) => void
}) {
  const { label, value = 'newest', onChange } = props
  return (
    <Filter
      aria-label={label}
      value={value}
      // Newest first is how a list comes by itself.
      onChange={(event) => onChange(event.target.value === 'oldest' ? 'oldest' : undefined)}
    >
      {sortings.map((sorting) => (
        <option key={sorting} value={sorting}>
          {sortingTexts[sorting]}
        </option>
      ))}
    </Filter>
  )
}

type Chip = { text: string; remove: () => void }

/** Filters that a link set and no field shows; each can be taken off. */
export function Chips({ chips }: { chips: (Chip | '' | undefined)[] }) {
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
