import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { DialogButtons } from './dialog-buttons.tsx'

export type Question = {
  title: string
  description?: string
  action: string
  cancel?: string
  destructive?: boolean
}
export type AskedQuestion = Question & { answer: (yes: boolean) => void }

export default function ConfirmDialog({ question }: { question: AskedQuestion }) {
  const { title, description, action, cancel, destructive, answer } = question
  return (
    <Dialog role="alertdialog" title={title} description={description} onClose={() => answer(false)}>
      <DialogButtons onClose={() => answer(false)} {...(cancel && { cancel })}>
        <Button variant={destructive ? 'danger' : 'primary'} onClick={() => answer(true)}>
          {action}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
