import { type KeyboardEvent, useDeferredValue, useEffect, useId, useState } from 'react'
import { accounts } from '#contract/identity/accounts.ts'
import { useData } from '#web/api/client.ts'
import { classes } from '#web/ui/classes.ts'
import { Input } from '#web/ui/input.tsx'

/** Picks one user out of 300,000: a combobox that searches the server as you type. */
export function UserPicker({ onPick }: { onPick: (id: string) => void }) {
  const [typed, setTyped] = useState('')
  const [open, setOpen] = useState(false)
  const [at, setAt] = useState(0)
  const q = useDeferredValue(typed.trim())
  const found = useData(accounts.adminList, { q, limit: 8 }, { enabled: open })
  const users = found.data ?? []
  const list = useId()
  const active = open && users[at] ? `${list}-${at}` : undefined
  useEffect(() => {
    if (active) document.getElementById(active)?.scrollIntoView({ block: 'nearest' })
  }, [active])

  function type(value: string) {
    setTyped(value)
    setAt(0)
    setOpen(true)
    onPick('')
  }

  function pick(index: number) {
    const user = users[index]
    if (!user) return
    setTyped(user.email)
    setOpen(false)
    onPick(user.id)
  }

  function press(event: KeyboardEvent) {
    if (event.key === 'Escape' && open) {
      event.preventDefault()
      event.stopPropagation()
      setOpen(false)
      return
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      if (open) setAt((at + step + users.length) % Math.max(users.length, 1))
      else setOpen(true)
    }
    if (event.key === 'Enter' && open && users[at]) {
      event.preventDefault()
      pick(at)
    }
  }

  return (
    <div className="relative">
      <Input
        role="combobox"
        aria-expanded={open}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={active}
        autoComplete="off"
        placeholder="Type an email or a name"
        value={typed}
        onChange={(event) => type(event.target.value)}
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={press}
      />
      {open && (
        <div className="absolute inset-x-0 z-10 mt-1 rounded-md border border-line bg-raised p-1.5 shadow-float">
          <div id={list} role="listbox" aria-label="Users" className="max-h-64 overflow-y-auto">
            {users.map(({ id, name, email }, index) => (
              <div
                key={id}
                id={`${list}-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === at}
                // Runs before the input loses focus and closes the list.
                onPointerDown={(event) => {
                  event.preventDefault()
                  pick(index)
                }}
                className={classes(
                  'cursor-pointer rounded-sm px-3 py-2 text-sm',
                  index === at && 'bg-accent-soft',
                )}
              >
                <span className="block font-medium wrap-anywhere">{name}</span>
                <span className="block text-muted wrap-anywhere">{email}</span>
              </div>
            ))}
          </div>
          <output className={users.length > 0 ? 'sr-only' : 'block px-3 py-2 text-sm text-muted'}>
            {found.isFetching ? 'Searching...' : verdict(users.length)}
          </output>
        </div>
      )}
    </div>
  )
}

function verdict(count: number) {
  if (count === 0) return 'No users found'
  return count === 1 ? '1 user found' : `${count} users found`
}
