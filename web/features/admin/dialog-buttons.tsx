import type { ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'

export function DialogButtons({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  return (
    <div className="flex justify-end gap-3 pt-1 max-sm:flex-col-reverse">
      <Button variant="secondary" onClick={onClose}>
        Cancel
      </Button>
      {children}
    </div>
  )
}
