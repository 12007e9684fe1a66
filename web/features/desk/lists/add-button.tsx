import { Plus } from 'lucide-react'
import { type ComponentType, useState } from 'react'
import { Button } from '#web/ui/button.tsx'

/** A button that owns its dialog, so opening it doesn't rerender the table. */
export function AddButton(props: { text: string; dialog: ComponentType<{ onClose: () => void }> }) {
  const { text, dialog: AddDialog } = props
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button className="max-sm:w-full sm:ml-auto" onClick={() => setIsOpen(true)}>
        <Plus className="size-4" aria-hidden="true" />
        {text}
      </Button>
      {isOpen && <AddDialog onClose={() => setIsOpen(false)} />}
    </>
  )
}
