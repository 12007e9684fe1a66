import * as Radix from '@radix-ui/react-toast'
import { X } from 'lucide-react'
import { createPortal } from 'react-dom'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { useTopDialog } from './open-dialogs.ts'

export type Toast = {
  id: number
  title: string
  description?: string | undefined
  destructive?: boolean
  /** True if it closes only when the person closes it. */
  stays?: boolean
  action?: { label: string; onPress: () => void }
  open: boolean
}

let currentToast: HTMLElement | null = null
const firstToastShown = Promise.withResolvers<void>()

/** Showing the popover again with each toast lifts it above an open dialog. */
function showAboveDialogs(toastElement: HTMLElement | null) {
  currentToast = toastElement
  const viewport = toastElement?.closest<HTMLElement>('[popover]')
  // A closing dialog removes the toast inside it; React then renders it in the page.
  if (!viewport?.isConnected) return
  viewport.hidePopover()
  viewport.showPopover()
  placeViewport(viewport)
  // Content that the toast must not cover may be drawn one frame later.
  requestAnimationFrame(() => placeViewport(viewport))
  firstToastShown.resolve()
}

const obstacleSelector = 'a, button, input, select, textarea, summary, iframe, header, h1, .cookie-banner, [role=alert]'

/** Places the toast over the header on a phone, else as low as possible without covering controls or text. */
function placeViewport(viewport: HTMLElement) {
  const { left, right, height } = viewport.getBoundingClientRect()
  if (innerWidth < 768) {
    viewport.style.top = '0px'
    return
  }
  const surroundings = viewport.closest('dialog') ?? document
  const obstacles = [...surroundings.querySelectorAll(obstacleSelector)]
    .filter((control) => !viewport.contains(control))
    .map((control) => control.getBoundingClientRect())
    .filter((box) => box.height > 0 && box.left < right && box.right > left)
  const isFree = (top: number) => !obstacles.some((box) => box.top < top + height && box.bottom > top)
  const lowestTop = innerHeight - height
  // Tries positions from the bottom up, in steps of 8 px.
  const stepCount = Math.max(1, Math.ceil(lowestTop / 8))
  const tops = Array.from({ length: stepCount }, (_, step) => lowestTop - step * 8)
  viewport.style.top = `${Math.max(0, tops.find(isFree) ?? lowestTop)}px`
}

/** Resolves once the toast has been drawn and has slid in. */
export async function toastShown() {
  await firstToastShown.promise
  await new Promise(requestAnimationFrame)
  await Promise.allSettled(currentToast?.getAnimations().map((animation) => animation.finished) ?? [])
}

/** Toasts render inside the topmost dialog, because a modal dialog makes everything outside inert. */
export function Toaster({ toast, dismiss }: { toast: Toast; dismiss: () => void }) {
  const container = useTopDialog() ?? document.body
  return (
    <Radix.Provider duration={5000} swipeDirection="right" swipeThreshold={50} announcerContainer={container}>
      <Radix.Root
        key={toast.id}
        ref={showAboveDialogs}
        open={toast.open}
        {...(toast.stays && { duration: Number.POSITIVE_INFINITY })}
        onOpenChange={(open) => !open && dismiss()}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          // Otherwise Escape would close the dialog, too.
          event.preventDefault()
          event.currentTarget.parentElement?.focus()
          dismiss()
        }}
        className={classes(
          'pointer-events-auto relative flex flex-col gap-1 rounded-lg border bg-raised p-4 pr-11 shadow-float max-md:gap-0 max-md:py-2',
          'data-[state=open]:animate-toast-in data-[state=closed]:animate-toast-out data-[swipe=end]:animate-toast-swipe',
          'data-[swipe=cancel]:translate-x-0 data-[swipe=cancel]:transition-[translate] data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x)',
          toast.destructive ? 'border-danger' : 'border-line',
        )}
      >
        <Radix.Title className={classes('font-semibold', toast.destructive && 'text-danger')}>
          {toast.title}
        </Radix.Title>
        {toast.description && (
          <Radix.Description className="max-h-60 overflow-y-auto text-sm break-words whitespace-pre-line text-muted">
            {toast.description}
          </Radix.Description>
        )}
        {toast.action && (
          <Radix.Action asChild altText={toast.action.label}>
            <Button variant="secondary" size="sm" className="mt-2 self-start" onClick={toast.action.onPress}>
              {toast.action.label}
            </Button>
          </Radix.Action>
        )}
        <Radix.Close
          aria-label="Close"
          className="absolute top-1 right-2 grid size-8 md:top-2 cursor-pointer place-items-center rounded-sm text-muted hover:text-ink"
        >
          <X className="shrink-0 size-4" />
        </Radix.Close>
      </Radix.Root>
      {createPortal(
        <Radix.Viewport
          popover="manual"
          hotkey={['F8']}
          className="pointer-events-none fixed inset-auto toasts right-0 flex overflow-visible bg-transparent w-full flex-col gap-2 p-2 md:max-w-[420px] md:p-4"
        />,
        container,
      )}
    </Radix.Provider>
  )
}
