import { X } from 'lucide-react'
import { type PointerEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { rememberDialog } from './open-dialogs.ts'

/** The native modal dialog. Libraries lock scrolling with an inline style sheet, which the CSP forbids. */
export function Dialog(props: {
  title: string
  description?: ReactNode
  onClose: () => void
  role?: 'dialog' | 'alertdialog'
  className?: string
  children: ReactNode
}) {
  const { title, description, onClose, role = 'dialog', className = 'max-w-md', children } = props
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Browsers restore the focus only if the dialog closes before its element is removed.
  useLayoutEffect(() => {
    const dialog = ref.current
    if (!dialog) return undefined
    dialog.showModal()
    const forgetDialog = rememberDialog(dialog)
    return () => {
      forgetDialog()
      dialog.close()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      role={role}
      aria-labelledby={`${id}-title`}
      aria-describedby={description ? `${id}-description` : undefined}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onPointerDown={(event) => {
        // The backdrop and the dialog's own scrollbar have the dialog itself as their target.
        if (event.target === event.currentTarget && role === 'dialog' && isOutside(event)) onClose()
      }}
      onClose={({ currentTarget }) => {
        // Browsers allow a page to prevent only the first of several `cancel` events, and then close the dialog.
        if (currentTarget.isConnected) currentTarget.showModal()
      }}
      className={classes(
        'm-auto w-full animate-rise rounded-lg border border-line bg-raised text-ink shadow-float backdrop:animate-fade backdrop:bg-black/50 max-sm:mb-0 max-sm:max-w-none max-sm:rounded-b-none',
        className,
      )}
    >
      <div className="flex flex-col gap-5 p-6">
        <header className="flex flex-col gap-2 pr-8">
          <h2 id={`${id}-title`} className="text-xl">
            {title}
          </h2>
          {description && (
            <div id={`${id}-description`} className="text-muted">
              {description}
            </div>
          )}
        </header>
        {children}
      </div>
      {role === 'dialog' && (
        <button
          type="button"
          aria-label="Close"
          onClick={onClose}
          className="absolute top-4 right-4 grid size-9 cursor-pointer place-items-center rounded-sm text-muted hover:text-ink"
        >
          <X className="shrink-0 size-5" />
        </button>
      )}
    </dialog>
  )
}

function isOutside({ currentTarget, clientX, clientY }: PointerEvent<HTMLDialogElement>) {
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect()
  return clientX < left || clientX > right || clientY < top || clientY > bottom
}

export function DialogButtons(props: { onClose: () => void; cancel?: string | undefined; children: ReactNode }) {
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
