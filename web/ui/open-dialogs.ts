import { createStore, useStore } from './store.ts'

const store = createStore<HTMLElement[]>([])

/** Returns the function that forgets the dialog. */
export function rememberDialog(dialog: HTMLElement) {
  store.set([...store.get(), dialog])
  return () => store.set(store.get().filter((openDialog) => openDialog !== dialog))
}

/** Modal dialog on top; the rest of the page is inert. */
export const useTopDialog = () => useStore(store).at(-1)
