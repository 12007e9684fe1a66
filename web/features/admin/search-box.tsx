import { Search } from 'lucide-react'
import { type ComponentProps, useEffect, useState } from 'react'
import { Input, Select } from '#web/ui/input.tsx'

/** A debounced search box. */
export function SearchBox({ placeholder, onSearch }: { placeholder: string; onSearch: (q: string) => void }) {
  const [typed, setTyped] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => onSearch(typed.trim()), 250)
    return () => clearTimeout(timer)
  }, [typed, onSearch])
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
