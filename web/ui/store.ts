import { useSyncExternalStore } from 'react'

/** Value outside React that components can subscribe to. Prerendering and hydration read the initial value. */
export function createStore<T>(initial: T) {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    initial,
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
export const useStore = <T, Selected = T>(store: Store<T>, select = (value: T) => value as unknown as Selected) =>
  useSyncExternalStore(
    store.subscribe,
    () => select(store.get()),
    () => select(store.initial),
  )

type Store<T> = ReturnType<typeof createStore<T>>

/** Prerendering and hydration read the initial `false`, later renders read `true`. */
const hydration = { ...createStore(false), get: () => true }

/** False in the prerendered page and during hydration, when the output must match what the server sent. */
export const useHydrated = () => useStore(hydration)

/** Runs code that uses browser storage. Returns undefined if it throws, as it does where visitors block storage. */
export function attempt<Result>(action: () => Result): Result | undefined {
  try {
    return action()
  } catch {
    return undefined
  }
}
