import { Search } from 'lucide-react'
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useRef, useState } from 'react'
import { search } from '#contract/desk/search.ts'
import { useData } from '#web/api/use-data.ts'
import { classes } from '#web/ui/classes.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { Input } from '#web/ui/input.tsx'
import { type Href, useNavigation } from '#web/ui/navigation.tsx'
import type { Area } from '../screens.ts'

type Option = { href: Href; title: string; detail: string }

/** One box for everything: people by whatever they are known by, and the screens of this area. */
export default function SearchDialog({ areas, onClose }: { areas: Area[]; onClose: () => void }) {
  const places = areas
    .flatMap(({ listed }) => listed)
    .map(({ path, title }): Option => ({ href: path, title, detail: 'Go there' }))
  const { navigate } = useNavigation()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const q = useSettled(typed.trim())
  const found = useData(search.adminFind, { q }, { enabled: q.length > 1 })
  const people = (q.length > 1 ? found.data : undefined)?.map(
    ({ id, name, email, tradingViewUsername }): Option => ({
      href: `/admin/customers/${id}`,
      title: name || email,
      detail: [email, tradingViewUsername].filter(Boolean).join(', '),
    }),
  )
  const word = typed.trim().toLowerCase()
  const options = [
    ...(people ?? []),
    ...places.filter(({ title }) => word === '' || title.toLowerCase().startsWith(word)),
  ]
  const list = useId()
  const field = useRef<HTMLInputElement>(null)
  // The dialog opened to be typed into.
  useEffect(() => field.current?.focus(), [])
  const active = options[at] ? `${list}-${at}` : undefined
  useEffect(() => {
    if (active) document.getElementById(active)?.scrollIntoView({ block: 'nearest' })
  }, [active])

  function open(option: Option | undefined) {
    if (!option) return
    onClose()
    navigate(option.href)
  }

  function press(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      setAt((at + step + options.length) % Math.max(options.length, 1))
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      // Somebody quicker than the server means what is still on its way.
      if (!isWaiting) open(options[at])
    }
  }
  const isWaiting = word !== q.toLowerCase() || (q.length > 1 && found.isFetching)

  return (
    <Dialog title="Search" onClose={onClose} className="max-w-xl sm:mt-[12vh]">
      <div className="relative">
        <Search
          className="pointer-events-none absolute top-1/2 left-3.5 size-4 -translate-y-1/2 text-muted"
          aria-hidden="true"
        />
        <Input
          role="combobox"
          aria-label="Name, email, TradingView username, invoice or payment id"
          aria-expanded="true"
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={active}
          autoComplete="off"
          spellCheck={false}
          ref={field}
          maxLength={100}
          placeholder="Name, email, TradingView username, invoice or payment id"
          className="pl-10"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value)
            setAt(0)
          }}
          onKeyDown={press}
        />
      </div>
      <div id={list} role="listbox" aria-label="Results" className="max-h-[50vh] overflow-y-auto">
        {options.map(({ href, title, detail }, index) => (
          <div
            key={href}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => open(options[index])}
            onKeyDown={() => undefined}
            className={classes(
              'flex cursor-pointer items-baseline justify-between gap-4 rounded-sm px-3 py-2.5 text-sm',
              index === at && 'bg-accent-soft',
            )}
          >
            <span className="truncate font-medium">{title}</span>
            <span className="truncate text-muted">{detail}</span>
          </div>
        ))}
      </div>
      <output className={options.length > 0 && !isWaiting ? 'sr-only' : 'block px-3 text-sm text-muted'}>
        {isWaiting
          ? 'Searching...'
          : found.isError
            ? 'We couldn’t search. Please try again.'
            : verdict(people?.length)}
      </output>
    </Dialog>
  )
}

/** A moment after the last letter, so not every letter is a question. */
function useSettled(typed: string) {
  const [settled, setSettled] = useState(typed)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), 150)
    return () => clearTimeout(timer)
  }, [typed])
  return useDeferredValue(settled)
}

function verdict(count: number | undefined) {
  if (count === undefined) return ''
  if (count === 0) return 'No one found'
  return count === 1 ? '1 person found' : `${count} people found`
}
