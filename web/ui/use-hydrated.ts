import { useSyncExternalStore } from 'react'

/** False in the prerendered page and during hydration, when the output must match what the server sent. */
export const useHydrated = () =>
  useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  )
