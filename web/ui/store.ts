import { useSyncExternalStore } from 'react'

/** A value outside React that components can subscribe to. During prerendering and hydration, it is the first one. */
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

/** Renders again only when what is read of it changes. */
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

/** For the browser's storage, which throws where visitors block it: nothing is kept then, and nothing breaks. */
export function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
