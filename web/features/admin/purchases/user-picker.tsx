import { type KeyboardEvent, useState } from 'react'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { useData } from '#web/api/client.ts'
import { Input } from '#web/ui/input.tsx'
import { useCombobox } from '../parts/use-combobox.ts'
import { useDebounced } from '../parts/use-debounced.ts'

export function UserPicker({ onPick }: { onPick: (id: string) => void }) {
  const [searchText, setSearchText] = useState('')
  const [isOpen, setIsOpen] = useState(false)
  const q = useDebounced(searchText.trim())
  const search = useData(accountsAdmin.list, { q, limit: 8 }, { enabled: isOpen })
  const isOutdated = q !== searchText.trim()
  const users = isOutdated ? [] : (search.data ?? [])
  const { selectFirst, field, list, option } = useCombobox(isOpen ? users.length : 0, (index) => {
    const user = users[index]
    if (!user) return
    setSearchText(user.email)
    setIsOpen(false)
    onPick(user.id)
  })

  function changeText(value: string) {
    setSearchText(value)
    selectFirst()
    setIsOpen(true)
    onPick('')
  }

  function handleKey(event: KeyboardEvent) {
    if (event.key === 'Escape' && isOpen) {
      event.preventDefault()
      event.stopPropagation()
      setIsOpen(false)
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') setIsOpen(true)
    field.onKeyDown(event)
  }

  return (
    <div className="relative">
      <Input
        {...field}
        aria-expanded={isOpen}
        placeholder="Type an email or a name"
        value={searchText}
        onChange={(event) => changeText(event.target.value)}
        onClick={() => setIsOpen(true)}
        onBlur={() => setIsOpen(false)}
        onKeyDown={handleKey}
      />
      {isOpen && (
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
            {isOutdated || search.isFetching ? 'Searching...' : resultText(users.length)}
          </output>
        </div>
      )}
    </div>
  )
}

function resultText(count: number) {
  if (count === 0) return 'No users found'
  return count === 1 ? '1 user found' : `${count} users found`
}
