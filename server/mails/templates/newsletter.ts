import type { MailSite, Template } from '../template.ts'

/** Both parts of a link that works without logging in. */
const link = (page: 'confirm' | 'unsubscribe', id: string, { publicUrl, linkToken }: MailSite) =>
  `${publicUrl}/newsletter/${page}?id=${id}&token=${linkToken(`newsletter-${page}`, id)}`

/** `id` is a row of `newsletter_subscriptions`. */
const newsletterConfirmation: Template<{ id: string }> = ({ id }, site) => ({
  subject: 'Please confirm your subscription',
  preheader: 'One click, and you’ll hear from us when there’s something new.',
  heading: 'One click to go',
  paragraphs: [
    'Please confirm that you’d like news about new products and important updates from Rebound Sigma. We don’t write often, and every email has an unsubscribe link.',
  ],
  action: { label: 'Confirm subscription', url: link('confirm', id, site) },
  footnote:
    'Didn’t ask for this? Ignore this email; without your confirmation, you won’t get the newsletter.',
  // RFC 8058: email clients show their own button and post to this URL when it's pressed.
  headers: {
    'List-Unsubscribe': `<${link('unsubscribe', id, site)}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  },
})

export const newsletterMails = { newsletterConfirmation }
