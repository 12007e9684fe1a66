import { lazy, Suspense } from 'react'
import { createStore, useStore } from './store.ts'
import type { Toast } from './toaster.tsx'

const removalDelay = 1_000_000

const store = createStore<Toast | null>(null)
let lastId = 0
let removal: ReturnType<typeof setTimeout> | undefined

/** Shows a short message; a new toast replaces the last. */
export function toast(message: Omit<Toast, 'id' | 'open'>) {
  clearTimeout(removal)
  lastId += 1
  store.set({ ...message, id: lastId, open: true })
}

function dismiss(id: number) {
  const shown = store.get()
  if (shown?.id !== id || !shown.open) return
  store.set({ ...shown, open: false })
  removal = setTimeout(() => store.set(null), removalDelay)
}

/** Closes the toast of an earlier attempt. */
export function dismissToast() {
  dismiss(lastId)
}

const loadToaster = () => import('./toaster.tsx')
const Toaster = lazy(loadToaster)

/** Resolves once a toast can be read, also if its code fails to load. */
export const toastShown = () =>
  loadToaster().then(
    (toaster) => toaster.toastShown(),
    () => null,
  )

export function ToastHost() {
  const shown = useStore(store)
  return (
    shown && (
      <Suspense fallback={null}>
        <Toaster toast={shown} dismiss={() => dismiss(shown.id)} />
      </Suspense>
    )
  )
}
