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
  action?: { label: string; onPress: () => void }
  open: boolean
}

let current: HTMLElement | null = null
const first = Promise.withResolvers<void>()

/** Showing the popover again with each toast lifts it above an open dialog. */
function raise(shown: HTMLElement | null) {
  current = shown
  const viewport = shown?.closest<HTMLElement>('[popover]')
  // A dialog that closes removes the toast inside it; React renders it again in the page.
  if (!viewport?.isConnected) return
  viewport.hidePopover()
  viewport.showPopover()
  settle(viewport)
  // Content beside the toast may be drawn just after it.
  requestAnimationFrame(() => settle(viewport))
  first.resolve()
}

const controls = 'a, button, input, select, textarea, summary, iframe, header, h1, .cookie-banner, [role=alert]'

/** Places the toast over the header on a phone, else as low as possible without covering controls or text. */
function settle(viewport: HTMLElement) {
  const { left, right, height } = viewport.getBoundingClientRect()
  if (innerWidth < 768) {
    viewport.style.top = '0px'
    return
  }
  const dialog = viewport.closest('dialog') ?? document
  const focusable = [...dialog.querySelectorAll(controls)]
    .filter((control) => !viewport.contains(control))
    .map((control) => control.getBoundingClientRect())
    .filter((box) => box.height > 0 && box.left < right && box.right > left)
  const isFree = (top: number) => !focusable.some((box) => box.top < top + height && box.bottom > top)
  const last = innerHeight - height
  const places = Array.from({ length: Math.max(1, Math.ceil(last / 8)) }, (_, index) => last - index * 8)
  viewport.style.top = `${Math.max(0, places.find(isFree) ?? last)}px`
}

/** Resolves once the toast has been drawn and has slid in. */
export async function toastShown() {
  await first.promise
  await new Promise(requestAnimationFrame)
  await Promise.allSettled(current?.getAnimations().map((animation) => animation.finished) ?? [])
}

/** Toasts render inside the topmost dialog, because a modal dialog makes everything outside inert. */
export default function Toaster({ toast, dismiss }: { toast: Toast; dismiss: () => void }) {
  const container = useTopDialog() ?? document.body
  return (
    <Radix.Provider duration={5000} swipeDirection="right" swipeThreshold={50} announcerContainer={container}>
      <Radix.Root
        key={toast.id}
        ref={raise}
        open={toast.open}
        onOpenChange={(open) => !open && dismiss()}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          // Escape would close the dialog, too.
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
          <Radix.Description className="text-sm break-words text-muted">{toast.description}</Radix.Description>
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
