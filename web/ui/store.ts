import { useSyncExternalStore } from 'react'

/** Value outside React that components can subscribe to. Prerendering and hydration read the initial value. */
export function createStore<T>(first: T) {
  let value = first
  const listeners = new Set<() => void>()
  return {
    first,
    get: () => value,
    set(next: T) {
      value = next
      for (const listener of listeners) listener()
    },
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Re-renders only when the selected value changes. */
export const useStore = <T, Part = T>(store: Store<T>, read = (whole: T) => whole as unknown as Part) =>
  useSyncExternalStore(
    store.subscribe,
    () => read(store.get()),
    () => read(store.first),
  )

type Store<T> = ReturnType<typeof createStore<T>>

const hydration = { ...createStore(false), get: () => true }

/** False in the prerendered page and during hydration, when the output must match what the server sent. */
export const useHydrated = () => useStore(hydration)

/** Runs code that uses browser storage, which throws where visitors block it. */
export function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
