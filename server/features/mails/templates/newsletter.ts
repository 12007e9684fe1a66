import type { MailSite, Template } from '../template.ts'

/** Both parts of a link that needs no login. */
const link = (page: 'confirm' | 'unsubscribe', id: string, { publicUrl, linkToken }: MailSite) =>
  `${publicUrl}/newsletter/${page}?id=${id}&token=${linkToken(`newsletter-${page}`, id)}`

/** `id` is a row of `newsletter_subscriptions`. */
const newsletterConfirmation: Template<{ id: string }> = ({ id }, site) => ({
  subject: 'Please confirm your subscription',
  preheader: 'One click, and you hear from us when there is something new.',
  heading: 'One click to go',
  paragraphs: [
    'Please confirm that you want news about new products and important updates from Rebound Sigma. We write rarely, and every mail has a link to leave.',
  ],
  action: { label: 'Confirm subscription', url: link('confirm', id, site) },
  footnote: 'You did not ask for this? Ignore this mail: without your confirmation you get no newsletter.',
  // RFC 8058: mail programs show a button of their own, and post to this address when it is pressed.
  headers: {
    'List-Unsubscribe': `<${link('unsubscribe', id, site)}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  },
})

export const newsletterMails = { newsletterConfirmation }
