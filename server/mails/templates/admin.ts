import { exactDollars } from '#contract/money.ts'
import { inert } from '../inert.ts'
import { greeting, type Template } from '../template.ts'

const contactMessage: Template<{ firstName: string; lastName: string; email: string; message: string }> = (
  { firstName, lastName, email, message },
  { publicUrl },
) => ({
  subject: `Message from ${firstName} ${lastName}`,
  preheader: message.slice(0, 120),
  heading: `Message from ${firstName} ${lastName}`,
  paragraphs: [],
  quote: message,
  details: [['From', email]],
  action: { label: 'Open the messages', url: `${publicUrl}/admin/messages` },
  footnote: 'Sent from the contact form. Your reply goes to the sender.',
  replyTo: { name: `${firstName} ${lastName}`, address: email },
})

const greets = /^\s*(?:hi|hello|hey|dear|good (?:morning|afternoon|evening))\b/i

/** The seller's own words, in reply to the contact form. */
const contactAnswer: Template<{ firstName: string; message: string; answer: string }> = (
  { firstName, message, answer },
  { supportEmail },
) => ({
  subject: 'Re: Your message to Rebound Sigma',
  preheader: answer.slice(0, 120),
  heading: 'Our answer to your message',
  paragraphs: [...(greets.test(answer) ? [] : [greeting(firstName)]), ...answer.split(/(?:\r?\n){2,}/)],
  // A person wrote it.
  headers: { 'Auto-Submitted': 'no' },
  footnote: `You wrote:\n${inert(message)}\n\nAnything else? Reply to this email or write to ${supportEmail}.`,
})

/** Sent right away, because the buyer's 24 hours have started. */
const accessRequested: Template<{
  name: string
  email: string
  product: string
  tradingViewUsername: string
}> = ({ name, email, product, tradingViewUsername }, { publicUrl }) => ({
  subject: `Access request: ${tradingViewUsername}`,
  preheader: `${name || email} is waiting for TradingView access, promised within 24 hours.`,
  heading: 'A buyer is waiting for access',
  paragraphs: [
    `Please give this account access to ${product} on TradingView, then press Unlock in the admin area; the buyer gets an email. Access is promised within 24 hours.`,
  ],
  details: [
    ['TradingView username', tradingViewUsername],
    ['Buyer', name ? `${name}, ${email}` : email],
  ],
  action: { label: 'Open the access queue', url: `${publicUrl}/admin/access` },
  footnote: 'Your reply goes to the buyer.',
  replyTo: { name, address: email },
})

const disputeOpened: Template<{ email: string; product: string; amount: number }> = (
  data,
  { publicUrl },
) => ({
  subject: `Disputed payment: ${data.email}`,
  preheader: 'Please respond in your Stripe dashboard before the deadline.',
  heading: 'A payment is disputed',
  paragraphs: [
    `The bank of ${data.email} disputed a payment of ${exactDollars(data.amount)} for ${data.product}. Please respond in your Stripe dashboard before the deadline it shows. The buyer keeps access unless the dispute is lost.`,
  ],
  action: { label: 'Open the disputes', url: `${publicUrl}/admin/purchases?need=disputes` },
})

const counted = (count: number, one: string, many: string) => (count === 1 ? `1 ${one}` : `${count} ${many}`)

/** Once a day, and only if something is waiting for the seller. `oldestHours` is the age of the oldest open request. */
const adminDigest: Template<{
  openRequests: number
  overdueRequests: number
  oldestHours: number
  failedJobs: number
}> = ({ openRequests, overdueRequests, oldestHours, failedJobs }, { publicUrl }) => ({
  subject: overdueRequests
    ? `${counted(overdueRequests, 'access request is', 'access requests are')} overdue`
    : `Action needed: ${[
        openRequests && counted(openRequests, 'access request', 'access requests'),
        failedJobs && counted(failedJobs, 'failed job', 'failed jobs'),
      ]
        .filter(Boolean)
        .join(', ')}`,
  preheader: 'What the shop can’t do without you.',
  heading: 'Action needed',
  paragraphs: [
    openRequests > 0 &&
      `${counted(openRequests, 'access request is', 'access requests are')} open, the oldest for ${counted(oldestHours, 'hour', 'hours')}. Buyers are promised access within 24 hours.`,
    failedJobs > 0 &&
      `${counted(failedJobs, 'job has', 'jobs have')} failed permanently, most often an email to an address that doesn’t exist. You can look at each one, run it again, or discard it.`,
  ].filter((text) => text !== false),
  details: [
    ['Open access requests', String(openRequests)],
    ['Overdue (more than 24 hours)', String(overdueRequests)],
    ['Failed jobs', String(failedJobs)],
  ],
  action: { label: 'Open the admin area', url: `${publicUrl}/admin/overview` },
})

const mailTest: Template<Record<string, never>> = (_data, { publicUrl }) => ({
  subject: 'Emails work',
  preheader: 'A test from the settings of your shop.',
  heading: 'Emails work',
  paragraphs: ['This is the test you asked for: your shop can send email.'],
  action: { label: 'Back to the settings', url: `${publicUrl}/admin/settings` },
})

/** Someone took back their account's address, which another account with a purchase had by then. */
const addressGivenBack: Template<{ email: string; customerId: string }> = (
  { email, customerId },
  { publicUrl },
) => ({
  subject: 'An account with a purchase has no email address now',
  preheader: `${email} went back to the account it was taken from.`,
  heading: 'An account needs another address',
  paragraphs: [
    `The owner of ${email} took this address back for their account. Meanwhile, something was bought with it under another account, which has no address now.`,
    'Ask the owner which address that purchase should have, and correct it on the customer’s page.',
  ],
  action: { label: 'Open the customer', url: `${publicUrl}/admin/customers/${customerId}` },
})

export const adminMails = {
  addressGivenBack,
  contactMessage,
  contactAnswer,
  accessRequested,
  disputeOpened,
  adminDigest,
  mailTest,
}
