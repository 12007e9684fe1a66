import { Button } from './button.tsx'
import { Dialog, DialogButtons } from './dialog.tsx'

export type Question = {
  title: string
  description?: string
  /** Paragraph below the description: what else the action changes. */
  effect?: string
  action: string
  cancel?: string
  destructive?: boolean | undefined
}
export type OpenQuestion = Question & { answer: (isConfirmed: boolean) => void }

export function ConfirmDialog({ question }: { question: OpenQuestion }) {
  const { title, description, effect, action, cancel, destructive, answer } = question
  return (
    <Dialog role="alertdialog" title={title} description={description} onClose={() => answer(false)}>
      {effect && <p>{effect}</p>}
      <DialogButtons onClose={() => answer(false)} cancel={cancel}>
        <Button variant={destructive ? 'danger' : 'primary'} onClick={() => answer(true)}>
          {action}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
