import { dayMs } from './dates.ts'

/** Retention periods for the cleanup jobs and the privacy page. With `days: null`, `words` says when the period ends. */
export const retention = {
  accounts: { what: 'Account', days: null, words: 'until you delete it, or ask us to' },
  books: {
    what: 'Purchases, invoices, and what you agreed to when you ordered',
    days: null,
    years: 10,
    words: 'ten years after the subscription ended, to the end of the year, as required by accounting law',
  },
  orderAddresses: {
    what: 'The IP address that you ordered from',
    days: 540,
    words: '18 months, for as long as a bank may ask us about a payment',
  },
  declarations: {
    what: 'Withdrawals and cancellations',
    days: null,
    years: 3,
    words:
      'three years, to the end of the year; without your name, your words, and ours about them once your account is deleted',
  },
  exchangeKeys: { what: 'Exchange keys', days: 30, words: 'until your request has been processed, 30 days at most' },
  contactMessages: { what: 'Messages', days: 730, words: 'as long as the matter requires, two years at most' },
  reviews: {
    what: 'Reviews',
    days: null,
    words: 'for as long as we sell the product; without your name once your account is deleted',
  },
  reviewReports: { what: 'Reports about reviews', days: 730, words: 'two years' },
  newsletter: {
    what: 'Newsletter',
    days: 7,
    words: 'until you unsubscribe, and 7 days more; 7 days if you never confirm',
  },
  noNewsletters: {
    what: 'That you don’t want news by email, or that your mailbox refused it',
    days: null,
    words: 'until you subscribe again, or your account is deleted',
  },
  unpaidCheckouts: { what: 'Checkouts without a payment', days: 30, words: '30 days' },
  sessions: { what: 'Logins', days: 30, words: '30 days after your last visit, 90 at most' },
  emailChanges: {
    what: 'Your former email address',
    days: 3,
    words: '72 hours after you changed it, so that you can undo it',
  },
  logins: { what: 'When and from where you logged in', days: 90, words: '90 days' },
  notes: { what: 'Our notes about your account', days: null, words: 'until your account is deleted' },
  tradingViewCalls: { what: 'What TradingView answered about your username', days: 90, words: '90 days' },
  paymentEvents: { what: 'Notices from Stripe about payments', days: 90, words: '90 days' },
  audit: { what: 'What our staff did with your account', days: null, years: 3, words: 'three years' },
  jobs: { what: 'Emails we sent you', days: 30, words: '30 days' },
  logs: { what: 'Server logs', days: null, words: '30 days at most' },
} as const

export const retentionStart = (now: Date, { days }: { days: number }) => new Date(now.getTime() - days * dayMs)

/** Retention by law ends with a calendar year, so all records of one year are deleted together. */
export const retentionStartOfYear = (now: Date, { years }: { years: number }) =>
  new Date(Date.UTC(now.getUTCFullYear() - years, 0, 1))
