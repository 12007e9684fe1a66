import type { ReactNode } from 'react'
import { Button } from './button.tsx'

/** The end of a dialog: a way out, and beside it what the dialog is for. */
export function DialogButtons(props: { onClose: () => void; cancel?: string; children: ReactNode }) {
  const { onClose, cancel = 'Cancel', children } = props
  return (
    <div className="flex justify-end gap-3 pt-1 max-sm:flex-col-reverse">
      <Button variant="secondary" onClick={onClose}>
        {cancel}
      </Button>
      {children}
    </div>
  )
}
