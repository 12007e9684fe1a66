import { useEffect, useEffectEvent, useRef } from 'react'
import { createStore, useStore } from '#web/ui/store.ts'

const storageKey = 'admin-keys'
const store = createStore<'on' | 'off' | null>(null)

/** Single letters get in the way of some assistive software, so one switch turns them off. */
export const keysAreOn = () => (store.get() ?? localStorage.getItem(storageKey)) !== 'off'
export function useKeysAreOn() {
  useStore(store)
  return keysAreOn()
}
export function switchKeys(isOn: boolean) {
  localStorage.setItem(storageKey, isOn ? 'on' : 'off')
  store.set(isOn ? 'on' : 'off')
}

/** Milliseconds after `g` in which a letter completes the shortcut. */
const patience = 1500

type Actions = { search: () => void; help: () => void; go: (letter: string) => void }

export function useKeys({ search, help, go }: Actions) {
  const goUntil = useRef(0)
  const press = useEffectEvent((event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey } = event
    const isSearch = key === 'k' && (ctrlKey || metaKey) && !document.querySelector('dialog[open]')
    if (!isSearch && (isMeantElsewhere(event) || !keysAreOn())) return
    const isAfterG = performance.now() < goUntil.current
    goUntil.current = 0
    if (isSearch) search()
    else if (isAfterG) go(key)
    else if (key === '/') search()
    else if (key === '?') help()
    else if (key === 'g') goUntil.current = performance.now() + patience
    else return
    event.preventDefault()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}

/** Returns true if the key is meant for a field, a dialog, the browser or an input method. */
export function isMeantElsewhere(event: KeyboardEvent) {
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
