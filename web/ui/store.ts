import { useSyncExternalStore } from 'react'

/** A value outside React that components can subscribe to. It is empty during prerendering. */
export function createStore<T>() {
  let value: T | null = null
  const listeners = new Set<() => void>()
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const get = () => value
  return {
    get,
    set(next: T | null) {
      value = next
      for (const listener of listeners) listener()
    },
    /** With `read`, only what it reads makes a component render again. */
    useValue: <Part = T | null>(read: (value: T | null) => Part = get as () => Part) =>
      useSyncExternalStore(
        subscribe,
        () => read(value),
        () => read(null),
      ),
  }
}

/** False in the prerendered page and during hydration, when the output must match what the server sent. */
export const useHydrated = () =>
  useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  )
