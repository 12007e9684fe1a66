import { FileUp } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Button } from '#web/ui/button.tsx'

const ImportSubscribersDialog = lazy(() => import('./import-subscribers-dialog.tsx'))

export function ImportButton() {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button variant="secondary" className="max-sm:w-full" onClick={() => setIsOpen(true)}>
        <FileUp className="size-4" aria-hidden="true" />
        Import
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <ImportSubscribersDialog onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
