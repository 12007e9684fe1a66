import { Button } from './button.tsx'
import type { AskedQuestion } from './confirm.tsx'
import { Dialog } from './dialog.tsx'

export default function ConfirmDialog({ question }: { question: AskedQuestion }) {
  const { title, description, action, cancel = 'Cancel', destructive, answer } = question
  return (
    <Dialog role="alertdialog" title={title} description={description} onClose={() => answer(false)}>
      <div className="flex justify-end gap-3 max-sm:flex-col-reverse">
        <Button variant="secondary" onClick={() => answer(false)}>
          {cancel}
        </Button>
        <Button variant={destructive ? 'danger' : 'primary'} onClick={() => answer(true)}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
