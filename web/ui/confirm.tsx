import { lazy, Suspense } from 'react'
import { createStore } from './store.ts'

export type Question = {
  title: string
  description?: string
  action: string
  cancel?: string
  destructive?: boolean
}
export type AskedQuestion = Question & { answer: (yes: boolean) => void }

const store = createStore<AskedQuestion>()

/** Asks before doing something irreversible: `if (await confirm({ ... })) remove()`. */
export function confirm(question: Question): Promise<boolean> {
  store.get()?.answer(false)
  return new Promise((resolve) => {
    const answer = (yes: boolean) => {
      store.set(null)
      resolve(yes)
    }
    store.set({ ...question, answer })
  })
}

const ConfirmDialog = lazy(() => import('./confirm-dialog.tsx'))

export function ConfirmHost() {
  const question = store.useValue()
  return (
    question && (
      <Suspense fallback={null}>
        <ConfirmDialog question={question} />
      </Suspense>
    )
  )
}
