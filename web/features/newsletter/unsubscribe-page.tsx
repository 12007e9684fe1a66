import { newsletter } from '#contract/newsletter.ts'
import { MailedLink } from './mailed-link.tsx'

const words = {
  title: 'Unsubscribe',
  text: 'We are sorry to see you go. One click, and you get no more mails of the newsletter.',
  button: 'Unsubscribe',
  pending: 'Unsubscribing...',
  done: 'You have been unsubscribed.',
  failed: 'Unsubscribing failed',
}

export default function UnsubscribePage() {
  return <MailedLink endpoint={newsletter.unsubscribe} words={words} />
}
