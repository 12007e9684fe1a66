import { ConfirmDialog, type OpenQuestion, type Question } from './confirm-dialog.tsx'
import { createStore, useStore } from './store.ts'

export type { Question }

const store = createStore<OpenQuestion | null>(null)

export function confirm(question: Question): Promise<boolean> {
  // Only one question is open at a time; a newer one declines the older.
  store.get()?.answer(false)
  return new Promise((resolve) => {
    const answer = (isConfirmed: boolean) => {
      store.set(null)
      resolve(isConfirmed)
    }
    store.set({ ...question, answer })
  })
}

export function runIfConfirmed(question: Question, action: () => unknown) {
  void confirm(question).then((isConfirmed) => {
    if (isConfirmed) return action()
    return undefined
  })
}

export function ConfirmHost() {
  const question = useStore(store)
  return question && <ConfirmDialog question={question} />
}
