import { createStore, useStore } from './store.ts'

const store = createStore<HTMLElement[]>([])

export function rememberDialog(dialog: HTMLElement) {
  store.set([...store.get(), dialog])
  return () => store.set(store.get().filter((other) => other !== dialog))
}

/** The dialog that makes all the rest of the page inert. */
export const useTopDialog = () => useStore(store).at(-1)
