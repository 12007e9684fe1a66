import { useSyncExternalStore } from 'react'

/** False in the prerendered page and while React hydrates it: what is rendered then must match what the server sent. */
export const useHydrated = () =>
  useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  )
