import { declarations } from '#contract/selling/declarations.ts'
import { MailedLink } from '#web/api/mailed-link.tsx'

const words = {
  title: 'Confirm your declaration',
  text: 'One click, and we carry out the withdrawal or cancellation described in our email.',
  button: 'Confirm',
  pending: 'Confirming...',
  doneTitle: 'Confirmed',
  done: 'Done. You’ll get an email about what happens to your contract.',
  failed: 'Confirmation failed',
}

export default function ConfirmPage() {
  return <MailedLink endpoint={declarations.confirm} words={words} />
}
