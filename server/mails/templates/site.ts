import { brand } from '#contract/brand.ts'
import { parseBlocks } from '#contract/markdown.ts'
import { link, sentence } from '#contract/selling/legal/text.ts'
import { type ServiceReason, serviceReasons } from '#contract/site/service-messages.ts'
import { inert, inertLine } from '../inert.ts'
import { greeting, type MailSite, type Templates } from '../template.ts'

const newsletterLink = (page: 'confirm' | 'unsubscribe', id: string, { publicUrl, linkToken }: MailSite) =>
  `${publicUrl}/newsletter/${page}?id=${id}&token=${linkToken(`newsletter-${page}`, id)}`

export const unsubscribeLink = (id: string, site: MailSite) => newsletterLink('unsubscribe', id, site)

/** RFC 8058: email clients show a button that posts to this URL. */
const oneClick = (id: string, site: MailSite) => ({
  'List-Unsubscribe': `<${unsubscribeLink(id, site)}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
})

export type NewsletterMail = {
  subject: string
  preheader: string
  markdown: string
  /** A row of `newsletter_subscriptions`, or a user. */
  unsubscribeId: string
  why: 'subscriber' | 'buyer'
}

type ServiceMail = { name: string; product: string; reason: ServiceReason; subject: string; markdown: string }

const reasons = {
  subscriber: 'You get this email because you subscribed to our newsletter.',
  buyer:
    'You get this email because you bought from us, and we told you at the checkout that we write about our own similar products. You can object at any time, at no more than the basic cost of sending.',
}

export const siteMails = {
  /** `id` is a row of `newsletter_subscriptions`. */
  newsletterConfirmation: ({ id }: { id: string }, site) => ({
    subject: 'Please confirm your subscription',
    paragraphs: [
      `Please confirm that you’d like news about new products and important updates from ${brand.name}. We don’t write often, and every email has an unsubscribe link.`,
    ],
    action: ['Confirm subscription', newsletterLink('confirm', id, site)],
    footnote: 'Didn’t ask for this? Ignore this email; without your confirmation, you won’t get the newsletter.',
    headers: oneClick(id, site),
  }),
  newsletter: ({ subject, preheader, markdown, unsubscribeId, why }: NewsletterMail, site) => ({
    subject,
    preheader,
    paragraphs: [],
    blocks: parseBlocks(markdown),
    footnote: sentence`${reasons[why]} ${link('Unsubscribe', unsubscribeLink(unsubscribeId, site))}
Not investment advice. Past and backtested results do not predict future results.`,
    headers: { 'List-Id': `<newsletter.${new URL(site.publicUrl).hostname}>`, ...oneClick(unsubscribeId, site) },
  }),
  /** Has no unsubscribe link, because a message about the contract is no advertising. */
  serviceMessage: ({ name, product, reason, subject, markdown }: ServiceMail) => ({
    subject,
    paragraphs: [greeting(name)],
    blocks: parseBlocks(markdown),
    footnote: `${serviceReasons[reason]}. You get this email because you are a customer of ${product}. It is about your subscription and comes whether or not you get our news.`,
  }),
  /** Offers no reward, so that reviews stay honest. */
  reviewInvitation: ({ name, product }: { name: string; product: string }) => ({
    subject: `How do you like ${product}?`,
    paragraphs: [
      greeting(name),
      `You’ve been using ${product} for a month. Would you tell others what you think of it? Good or bad, every review is published as it is. We can answer it, but not delete it.`,
    ],
    action: ['Write a review', '/reviews'],
    footnote: 'We ask only once, and only people who have paid for at least 30 days can write a review.',
  }),
  reviewWritten: ({ stars, text, author }: { stars: number; text: string; author: string }) => ({
    subject: `New review: ${stars} of 5 stars`,
    paragraphs: ['It’s already public. You can answer it in the admin area.'],
    quote: inert(text),
    details: [['By', inertLine(author)]],
    action: ['Open the reviews', '/admin/messages/reviews'],
  }),
  reviewReported: ({ reason, text }: { reason: string; text: string }) => ({
    subject: 'A review was reported',
    paragraphs: [
      'Someone reported a review. Their reason is below, in their own words.',
      'If the review is unlawful, hide it in the admin area and say why; everyone can read the reason. If it is only unpleasant, leave it and answer it.',
    ],
    quote: inert(reason),
    details: [['Review', inertLine(text)]],
    action: ['Open the reviews', '/admin/messages/reviews'],
  }),
  /** Goes to the author, who may object. */
  reviewHidden: ({ reason }: { reason: string }, { supportEmail }) => ({
    subject: 'Your review was hidden',
    paragraphs: [
      'Your review was reported, and we’ve hidden its text. Our reason is below.',
      `Your stars still count. If you disagree, reply to this email or write to ${supportEmail}.`,
    ],
    quote: reason,
  }),
} satisfies Templates
