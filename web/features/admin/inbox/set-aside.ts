import { dayMs } from '#contract/dates.ts'
import { attempt, createStore, useStore } from '#web/ui/store.ts'

const storageKey = 'inbox-later'

/** For each kind, its count when it was hidden and the end of hiding. Stored in this browser. */
type SetAside = Record<string, { count: number; until: number }>
const store = createStore<SetAside | null>(null)

function readSetAside(): SetAside {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? '{}') as SetAside
  } catch {
    return {}
  }
}

function storeSetAside(setAside: SetAside) {
  attempt(() => localStorage.setItem(storageKey, JSON.stringify(setAside)))
  store.set(setAside)
}

/** Hides kinds of open items until tomorrow morning, or until their count grows. */
export function useSetAside() {
  const hiddenKinds = useStore(store) ?? readSetAside()
  return {
    isSetAside: (kind: string, count: number) => {
      const entry = hiddenKinds[kind]
      return entry !== undefined && count <= entry.count && Date.now() < entry.until
    },
    setAside(kind: string, count: number) {
      // 6:00 in the seller's time zone.
      const until = new Date(Date.now() + dayMs).setHours(6, 0, 0, 0)
      storeSetAside({ ...readSetAside(), [kind]: { count, until } })
    },
    showAll: () => storeSetAside({}),
  }
}
