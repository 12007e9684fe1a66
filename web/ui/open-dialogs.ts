import { createStore, useStore } from './store.ts'

const store = createStore<HTMLElement[]>([])

export function rememberDialog(dialog: HTMLElement) {
  store.set([...store.get(), dialog])
  return () => store.set(store.get().filter((other) => other !== dialog))
}

/** Modal dialog on top; the rest of the page is inert. */
export const useTopDialog = () => useStore(store).at(-1)
