import { exactDollars } from '#contract/money.ts'
import type { BillingType } from '#contract/statuses.ts'
import { inert, inertLine } from '../inert.ts'
import { counted, greeting, type Nothing, type Templates } from '../template.ts'

const startsWithGreeting = /^\s*(?:hi|hello|hey|dear|good (?:morning|afternoon|evening))\b/i

type Message = { firstName: string; lastName: string; email: string; message: string }
type Answer = Pick<Message, 'firstName' | 'message'> & { answer: string }
type Request = { name: string; email: string; product: string; tradingViewUsername: string }
type Digest = Record<'openRequests' | 'overdueRequests' | 'oldestHours' | 'failedJobs', number>

type Sale = { who: string; billingType: BillingType; amount: number }
type Letter = { came: number; gone: { who: string; why: string }[]; mrr: number; due: string[]; open: string[] }

function digestSubject({ openRequests, overdueRequests, failedJobs }: Digest) {
  if (overdueRequests > 0) return `${counted(overdueRequests, 'access request is', 'access requests are')} overdue`
  const tasks: string[] = []
  if (openRequests > 0) tasks.push(counted(openRequests, 'access request', 'access requests'))
  if (failedJobs > 0) tasks.push(counted(failedJobs, 'failed job', 'failed jobs'))
  return `Action needed: ${tasks.join(', ')}`
}

const revenueNow = (mrr: number) => `You are at ${exactDollars(mrr)} a month.`
const turnOff = 'You can turn this off in the admin area, under Settings.'

export const adminMails = {
  contactMessage: ({ firstName, lastName, email, message }: Message) => ({
    subject: `Message from ${inertLine(`${firstName} ${lastName}`)}`,
    paragraphs: [],
    quote: message,
    details: [['From', email]],
    action: ['Open the messages', '/admin/messages'],
    footnote: 'Sent from the contact form. Your reply goes to the sender.',
    replyTo: { name: `${firstName} ${lastName}`, address: email },
  }),
  contactAnswer: ({ firstName, message, answer }: Answer, { supportEmail }) => ({
    subject: 'Our answer to your message',
    paragraphs: [
      !startsWithGreeting.test(answer) && greeting(firstName),
      ...answer.split(/(?:\r?\n){2,}/),
      'You wrote:',
    ],
    quote: inert(message),
    // A person wrote this email, so it is not marked as automatic.
    headers: { 'Auto-Submitted': 'no' },
    footnote: `Anything else? Reply to this email or write to ${supportEmail}.`,
  }),
  sellerMessage: ({ name, subject, answer }: { name: string; subject: string; answer: string }, { supportEmail }) => ({
    subject: inertLine(subject),
    paragraphs: [!startsWithGreeting.test(answer) && greeting(name), ...answer.split(/(?:\r?\n){2,}/)],
    headers: { 'Auto-Submitted': 'no' },
    footnote: `Anything else? Reply to this email or write to ${supportEmail}.`,
  }),
  /** Not part of the digest, because access is promised within 24 hours. */
  accessRequested: ({ name, email, product, tradingViewUsername }: Request) => ({
    subject: `Access request: ${inertLine(tradingViewUsername)}`,
    paragraphs: [
      `Please give this account access to ${product} on TradingView, then press Unlock in the admin area; the buyer gets an email. Access is promised within 24 hours.`,
    ],
    details: [
      ['TradingView username', inertLine(tradingViewUsername)],
      ['Buyer', name ? `${inertLine(name)}, ${email}` : email],
    ],
    action: ['Open the access queue', '/admin/access'],
    footnote: 'Your reply goes to the buyer.',
    replyTo: { name, address: email },
  }),
  disputeOpened: (data: { email: string; product: string; amount: number }) => ({
    subject: `Disputed payment: ${data.email}`,
    paragraphs: [
      `The bank of ${data.email} disputed a payment of ${exactDollars(data.amount)} for ${data.product}. Please answer it before the bank’s deadline, in the admin area or in your Stripe dashboard. The buyer keeps access for the time already paid, unless the dispute is lost.`,
    ],
    action: ['Open the disputes', '/admin/purchases?need=disputes'],
  }),
  /** `oldestHours` is the age of the oldest open request. */
  adminDigest: (data: Digest) => ({
    subject: digestSubject(data),
    paragraphs: [
      data.openRequests > 0 &&
        `${counted(data.openRequests, 'access request is', 'access requests are')} open, the oldest for ${counted(data.oldestHours, 'hour', 'hours')}. Buyers are promised access within 24 hours.`,
      data.failedJobs > 0 &&
        `${counted(data.failedJobs, 'job has', 'jobs have')} failed permanently, most often an email to an address that doesn’t exist. You can look at each one, run it again, or discard it.`,
    ],
    details: [
      ['Open access requests', String(data.openRequests)],
      ['Overdue (more than 24 hours)', String(data.overdueRequests)],
      ['Failed jobs', String(data.failedJobs)],
    ],
    action: ['Open the admin area', '/admin/overview'],
  }),
  saleMade: ({
    who,
    customerId,
    product,
    billingType,
    amount,
    mrr,
  }: Sale & { customerId: string; product: string; mrr: number }) => ({
    subject: `${inertLine(who)} bought ${billingType}: ${exactDollars(amount)}`,
    paragraphs: [
      `${inertLine(who)} bought ${product}, ${billingType}, for ${exactDollars(amount)}. ${revenueNow(mrr)}`,
    ],
    action: ['Open the customer', `/admin/customers/${customerId}`],
    footnote: turnOff,
  }),
  salesOfDay: ({ sales, mrr }: { sales: Sale[]; mrr: number }) => ({
    subject: `${counted(sales.length, 'sale', 'sales')} since yesterday`,
    paragraphs: [revenueNow(mrr)],
    details: sales.map(({ who, billingType, amount }) => [inertLine(who), `${billingType}, ${exactDollars(amount)}`]),
    action: ['Open the overview', '/admin/overview'],
    footnote: turnOff,
  }),
  mondayLetter: ({ came, gone, mrr, due, open }: Letter) => ({
    subject: `Your week: ${came} new, ${gone.length} gone`,
    paragraphs: [
      `${counted(came, 'person began', 'people began')} to pay, and ${counted(gone.length, 'person', 'people')} left. ${revenueNow(mrr)}`,
      due.length > 0 ? `Due this week: ${due.join('; ')}.` : 'Nothing is due this week.',
      open.length > 0 && `Without a deadline: ${open.join('; ')}.`,
    ],
    details: gone.slice(0, 50).map(({ who, why }) => [inertLine(who), inertLine(why) || 'gave no reason']),
    action: ['Open the inbox', '/admin/overview'],
    footnote: turnOff,
  }),
  mailTest: (_: Nothing) => ({
    subject: 'Emails work',
    paragraphs: ['This is the test you asked for: your shop can send email.'],
    action: ['Back to the settings', '/admin/settings'],
  }),
  /** The restored old address meanwhile belonged to another account with a purchase. */
  addressRestored: ({ email, customerId }: { email: string; customerId: string }) => ({
    subject: 'An account with a purchase has no email address now',
    paragraphs: [
      `The owner of ${email} took this address back for their account. Meanwhile, something was bought with it under another account, which has no address now.`,
      'Ask the owner which address that purchase should have, and correct it on the customer’s page.',
    ],
    action: ['Open the customer', `/admin/customers/${customerId}`],
  }),
} satisfies Templates
