import { newsletter } from '#contract/site/newsletter.ts'
import { MailedLink, seeProducts } from '#web/api/mailed-link.tsx'

const words = {
  title: 'Unsubscribe',
  text: 'We’re sorry to see you go. One click, and you won’t get the newsletter anymore.',
  button: 'Unsubscribe',
  pending: 'Unsubscribing...',
  doneTitle: 'You’re unsubscribed',
  done: 'You have been unsubscribed.',
  failed: 'Unsubscribing failed',
}

export default function UnsubscribePage() {
  return <MailedLink endpoint={newsletter.unsubscribe} words={words} next={seeProducts} />
}
