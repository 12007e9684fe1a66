import { createStore, useStore } from '#web/ui/store.ts'

const storageKey = 'inbox-later'
const dayMs = 86_400_000

/** Count and end of hiding for each kind, stored in this browser. */
type SetAside = Record<string, { count: number; until: number }>
const store = createStore<SetAside | null>(null)

function read(): SetAside {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? '{}') as SetAside
  } catch {
    return {}
  }
}

function write(next: SetAside) {
  localStorage.setItem(storageKey, JSON.stringify(next))
  store.set(next)
}

/** Hides a kind until tomorrow morning or until its count grows. */
export function useSetAside() {
  const present = useStore(store) ?? read()
  return {
    isSetAside: (kind: string, count: number) => {
      const found = present[kind]
      return found !== undefined && count <= found.count && Date.now() < found.until
    },
    setAside(kind: string, count: number) {
      const until = new Date(Date.now() + dayMs).setHours(6, 0, 0, 0)
      write({ ...read(), [kind]: { count, until } })
    },
    bringBack: () => write({}),
  }
}
