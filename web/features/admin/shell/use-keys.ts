import { useEffect, useEffectEvent, useRef } from 'react'
import { attempt, createStore, useStore } from '#web/ui/store.ts'

const storageKey = 'admin-keys'
const store = createStore<'on' | 'off' | null>(null)

/** Shortcuts of a single letter disturb some assistive software, so users can turn them off. */
export const keysAreOn = () => (store.get() ?? attempt(() => localStorage.getItem(storageKey))) !== 'off'
export function useKeysAreOn() {
  useStore(store)
  return keysAreOn()
}
export function switchKeys(isOn: boolean) {
  attempt(() => localStorage.setItem(storageKey, isOn ? 'on' : 'off'))
  store.set(isOn ? 'on' : 'off')
}

/** Time after `g` in which a letter completes the shortcut. */
const comboTimeoutMs = 1500

type Actions = { search: () => void; help: () => void; go: (letter: string) => void }

export function useKeys({ search, help, go }: Actions) {
  const letterExpectedUntil = useRef(0)
  const handleKey = useEffectEvent((event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey } = event
    const hasOpenDialog = document.querySelector('dialog[open]') !== null
    // Works in fields and without single-key shortcuts, too.
    const isSearch = key === 'k' && (ctrlKey || metaKey) && !hasOpenDialog
    if (!isSearch && (isMeantElsewhere(event) || !keysAreOn())) return
    const isAfterG = performance.now() < letterExpectedUntil.current
    letterExpectedUntil.current = 0
    if (isSearch) search()
    else if (isAfterG) go(key)
    else if (key === '/') search()
    else if (key === '?') help()
    else if (key === 'g') letterExpectedUntil.current = performance.now() + comboTimeoutMs
    else return
    event.preventDefault()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => handleKey(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}

export function isMeantElsewhere(event: KeyboardEvent) {
  const { target, ctrlKey, metaKey, altKey, isComposing, defaultPrevented } = event
  const isInField =
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select'))
  return (
    ctrlKey ||
    metaKey ||
    altKey ||
    isComposing ||
    defaultPrevented ||
    isInField ||
    document.querySelector('dialog[open]') !== null
  )
}
