import { createStore, useStore } from './store.ts'
import type { Toast, Toaster as ToasterComponent } from './toaster.tsx'

/** About 17 minutes: far more than the time in which a closed toast slides out, so that it is never cut off. */
const removalDelayMs = 1_000_000

const store = createStore<Toast | null>(null)
let lastId = 0
let removal: ReturnType<typeof setTimeout> | undefined

export function toast(message: Omit<Toast, 'id' | 'open'>) {
  clearTimeout(removal)
  lastId += 1
  store.set({ ...message, id: lastId, open: true })
  // Without the code, only this toast is missing, and the next one tries again.
  loadToaster().catch(() => undefined)
}

function dismiss(id: number) {
  const currentToast = store.get()
  if (currentToast?.id !== id || !currentToast.open) return
  store.set({ ...currentToast, open: false })
  removal = setTimeout(() => store.set(null), removalDelayMs)
}

export function dismissToast() {
  dismiss(lastId)
}

/** Not `lazy`, because code that fails to load would then throw and unmount the whole site. */
const toasterStore = createStore<{ Toaster: typeof ToasterComponent } | null>(null)

async function loadToaster() {
  const toaster = await import('./toaster.tsx')
  toasterStore.set(toaster)
  return toaster
}

/** Resolves once a toast can be read, also if its code fails to load. */
export const toastShown = () =>
  loadToaster().then(
    (toaster) => toaster.toastShown(),
    () => null,
  )

export function ToastHost() {
  const currentToast = useStore(store)
  const toaster = useStore(toasterStore)
  if (!currentToast || !toaster) return null
  return <toaster.Toaster toast={currentToast} dismiss={() => dismiss(currentToast.id)} />
}
