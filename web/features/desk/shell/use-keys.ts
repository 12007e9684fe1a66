import { useEffect, useRef } from 'react'
import { createStore, useStore } from '#web/ui/store.ts'

const storageKey = 'admin-keys'
const store = createStore<'on' | 'off' | null>(null)

/** Single letters get in the way of some assistive software, so one switch turns them off. */
const keysAreOn = () => (store.get() ?? localStorage.getItem(storageKey)) !== 'off'
export function useKeysAreOn() {
  useStore(store)
  return keysAreOn()
}
export function switchKeys(isOn: boolean) {
  localStorage.setItem(storageKey, isOn ? 'on' : 'off')
  store.set(isOn ? 'on' : 'off')
}

/** How long after `g` a letter still belongs to it. */
const patience = 1500

type Actions = {
  search: () => void
  help: () => void
  /** Goes where the letter says; false if it says nothing. */
  go: (letter: string) => void
}

export function useKeys(actions: Actions) {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    let goUntil = 0
    function press(event: KeyboardEvent) {
      if (isTyping(event) || !keysAreOn()) return
      const isAfterG = performance.now() < goUntil
      goUntil = 0
      if (isAfterG) latest.current.go(event.key)
      else if (event.key === '/') latest.current.search()
      else if (event.key === '?') latest.current.help()
      else if (event.key === 'g') goUntil = performance.now() + patience
      else return
      event.preventDefault()
    }
    function pressWithControl(event: KeyboardEvent) {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || document.querySelector('dialog[open]'))
        return
      event.preventDefault()
      latest.current.search()
    }
    document.addEventListener('keydown', press)
    document.addEventListener('keydown', pressWithControl)
    return () => {
      document.removeEventListener('keydown', press)
      document.removeEventListener('keydown', pressWithControl)
    }
  }, [])
}

/** Keys that belong to a field, to a dialog, to the browser, or to an input method. */
function isTyping(event: KeyboardEvent) {
  const { target, ctrlKey, metaKey, altKey, isComposing, defaultPrevented } = event
  const inField =
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select'))
  return (
    ctrlKey ||
    metaKey ||
    altKey ||
    isComposing ||
    defaultPrevented ||
    inField ||
    document.querySelector('dialog[open]') !== null
  )
}
