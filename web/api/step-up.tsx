import { createRoot } from 'react-dom/client'
import type { WayToProve } from '#contract/statuses.ts'
import { StepUpDialog } from './step-up-dialog.tsx'

let asking: Promise<boolean> | undefined

/** Asks once more who is there; true once they have shown it. Calls that are refused together share one dialog. */
export function proveAgain(ways: WayToProve[]): Promise<boolean> {
  asking ??= ask(ways).finally(() => {
    asking = undefined
  })
  return asking
}

function ask(ways: WayToProve[]) {
  const place = document.body.appendChild(document.createElement('div'))
  const root = createRoot(place)
  return new Promise<boolean>((resolve) => {
    const done = (proven: boolean) => {
      root.unmount()
      place.remove()
      resolve(proven)
    }
    root.render(<StepUpDialog ways={ways} onDone={done} />)
  })
}
