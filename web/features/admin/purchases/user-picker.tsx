import { type KeyboardEvent, useDeferredValue, useState } from 'react'
import { accounts } from '#contract/identity/accounts.ts'
import { useData } from '#web/api/client.ts'
import { Input } from '#web/ui/input.tsx'
import { useCombobox } from '../parts/use-combobox.ts'

/** Picks one user out of 300,000: a combobox that searches the server as you type. */
export function UserPicker({ onPick }: { onPick: (id: string) => void }) {
  const [typed, setTyped] = useState('')
  const [open, setOpen] = useState(false)
  const q = useDeferredValue(typed.trim())
  const found = useData(accounts.adminList, { q, limit: 8 }, { enabled: open })
  const users = found.data ?? []
  const { restart, field, list, option } = useCombobox(open ? users.length : 0, (index) => {
    const user = users[index]
    if (!user) return
    setTyped(user.email)
    setOpen(false)
    onPick(user.id)
  })

  function type(value: string) {
    setTyped(value)
    restart()
    setOpen(true)
    onPick('')
  }

  function press(event: KeyboardEvent) {
    if (event.key === 'Escape' && open) {
      event.preventDefault()
      event.stopPropagation()
      setOpen(false)
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') setOpen(true)
    field.onKeyDown(event)
  }

  return (
    <div className="relative">
      <Input
        {...field}
        aria-expanded={open}
        placeholder="Type an email or a name"
        value={typed}
        onChange={(event) => type(event.target.value)}
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={press}
      />
      {open && (
        <div className="absolute inset-x-0 z-10 mt-1 rounded-md border border-line bg-raised p-1.5 shadow-float">
          <div {...list} aria-label="Users" className="max-h-64 overflow-y-auto">
            {users.map(({ id, name, email }, index) => (
              <div key={id} {...option(index, 'py-2')}>
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
