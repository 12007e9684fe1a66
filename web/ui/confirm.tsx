import { type AskedQuestion, ConfirmDialog, type Question } from './confirm-dialog.tsx'
import { createStore, useStore } from './store.ts'

export type { Question }

const store = createStore<AskedQuestion | null>(null)

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

export const ask = (question: Question, act: () => unknown) =>
  void confirm(question).then((yes) => (yes ? act() : undefined))

export function ConfirmHost() {
  const question = useStore(store)
  return question && <ConfirmDialog question={question} />
}
