import { createStore, useStore } from '#web/ui/store.ts'

const storageKey = 'inbox-later'
const dayMs = 86_400_000

/** For each kind, its count when it was hidden and the end of hiding. Stored in this browser. */
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

/** Hides kinds of open items until tomorrow morning, or until their count grows. */
export function useSetAside() {
  const hiddenKinds = useStore(store) ?? read()
  return {
    isSetAside: (kind: string, count: number) => {
      const hidden = hiddenKinds[kind]
      return hidden !== undefined && count <= hidden.count && Date.now() < hidden.until
    },
    setAside(kind: string, count: number) {
      // 6:00 in the seller's time zone.
      const until = new Date(Date.now() + dayMs).setHours(6, 0, 0, 0)
      write({ ...read(), [kind]: { count, until } })
    },
    showAll: () => write({}),
  }
}
