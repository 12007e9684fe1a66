import { greeting, type Template } from '../template.ts'

/** Once, after 30 paid days. Nothing is offered in return: a paid review would be worth nothing. */
const reviewInvitation: Template<{ name: string; product: string }> = ({ name, product }, { publicUrl }) => ({
  subject: `How do you like ${product}?`,
  preheader: 'Your review helps other traders decide, whatever it says.',
  paragraphs: [
    greeting(name),
    `You’ve been using ${product} for a month. Would you tell others what you think of it? Good or bad, every review is published as it is. We can answer it, but not delete it.`,
  ],
  action: { label: 'Write a review', url: `${publicUrl}/reviews` },
  footnote: 'We ask only once, and only people who have paid for at least 30 days can write a review.',
})

/** To the seller. */
const reviewWritten: Template<{ stars: number; text: string; author: string }> = (
  { stars, text, author },
  { publicUrl },
) => ({
  subject: `New review: ${stars} of 5 stars`,
  preheader: text.slice(0, 120),
  heading: `${author} gave ${stars} of 5 stars`,
  paragraphs: ['It’s already public. You can answer it in the admin area.'],
  quote: text,
  action: { label: 'Open the reviews', url: `${publicUrl}/admin/messages/reviews` },
})

const reviewReported: Template<{ reason: string; text: string }> = ({ reason, text }, { publicUrl }) => ({
  subject: 'A review was reported',
  preheader: reason.slice(0, 120),
  paragraphs: [
    `Someone reported the review below: ${reason}`,
    'If it is unlawful, hide it in the admin area and say why; everyone can read the reason. If it is only unpleasant, leave it and answer it.',
  ],
  quote: text,
  action: { label: 'Open the reviews', url: `${publicUrl}/admin/messages/reviews` },
})

/** To its author, who may object. */
const reviewHidden: Template<{ reason: string }> = ({ reason }, { supportEmail }) => ({
  subject: 'Your review was hidden',
  preheader: 'It was reported as unlawful.',
  paragraphs: [
    `Your review was reported, and we’ve hidden its text. The reason: ${reason}`,
    `Your stars still count. If you disagree, reply to this email or write to ${supportEmail}.`,
  ],
})

export const reviewMails = { reviewInvitation, reviewWritten, reviewReported, reviewHidden }
