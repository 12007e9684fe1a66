import { useSyncExternalStore } from 'react'

/** False while a page is prerendered, and while React takes it over part by part: each must look as the server made it. */
export const useTookOver = () =>
  useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  )
