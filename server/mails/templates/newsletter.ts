import { parseBlocks } from '#contract/markdown.ts'
import { link as linkTo, sentence } from '#contract/selling/legal/text.ts'
import type { MailSite, Template } from '../template.ts'

/** Both parts of a link that works without logging in. */
const link = (page: 'confirm' | 'unsubscribe', id: string, { publicUrl, linkToken }: MailSite) =>
  `${publicUrl}/newsletter/${page}?id=${id}&token=${linkToken(`newsletter-${page}`, id)}`

/** For a row of `newsletter_subscriptions`, or a buyer. */
export const unsubscribeLink = (id: string, site: MailSite) => link('unsubscribe', id, site)

/** RFC 8058: email clients show their own button and post to this URL when it's pressed. */
const oneClick = (id: string, site: MailSite) => ({
  'List-Unsubscribe': `<${unsubscribeLink(id, site)}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
})

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
  headers: oneClick(id, site),
})

export type NewsletterMail = {
  subject: string
  preheader: string
  markdown: string
  /** Whom the link to unsubscribe is about: a row of `newsletter_subscriptions`, or a user. */
  leaveId: string
  why: 'subscriber' | 'buyer'
}

const reasons = {
  subscriber: 'You get this email because you subscribed to our newsletter.',
  buyer:
    'You get this email because you bought from us, and we told you at the checkout that we write about our own similar products. You can object at any time, at no more than the basic cost of sending.',
}

const newsletter: Template<NewsletterMail> = ({ subject, preheader, markdown, leaveId, why }, site) => ({
  subject,
  preheader,
  paragraphs: [],
  blocks: parseBlocks(markdown),
  footnote: sentence`${reasons[why]} ${linkTo('Unsubscribe', unsubscribeLink(leaveId, site))}
Not investment advice. Past and backtested results do not predict future results.`,
  headers: { 'List-Id': `<newsletter.${new URL(site.publicUrl).hostname}>`, ...oneClick(leaveId, site) },
})

export const newsletterMails = { newsletterConfirmation, newsletter }
