import { act, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { onTestFinished, vi } from 'vitest'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })

export async function render(content: ReactNode) {
  const root = createRoot(document.body.appendChild(document.createElement('div')))
  onTestFinished(async () => {
    await perform(() => root.unmount())
    document.body.replaceChildren()
    // Test files share a window, and pages read its address.
    history.replaceState(null, '', '/')
  })
  await perform(() => root.render(content))
}

/** Runs an action and waits until React has rendered its effects. */
export const perform = <Result,>(action: () => Promise<Result> | Result) => act(async () => await action())

/** Repeats the check, with renders in between, until it passes. */
export const eventually = (check: () => void) =>
  vi.waitFor(async () => {
    await perform(() => new Promise((resolve) => setTimeout(resolve, 5)))
    check()
  })
