import { newsletter } from '#contract/site/newsletter.ts'
import { MailedLink, seeProducts } from '#web/api/mailed-link.tsx'

const words = {
  title: 'Confirm your subscription',
  text: 'One click, and we’ll email you when there’s a new product. You can unsubscribe any time.',
  button: 'Confirm subscription',
  pending: 'Confirming...',
  doneTitle: 'You’re subscribed',
  done: "You've been added to our newsletter.",
  failed: 'Confirmation failed',
}

export default function ConfirmPage() {
  return <MailedLink endpoint={newsletter.confirm} words={words} next={seeProducts} />
}
