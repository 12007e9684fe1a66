import type { NeedKind } from './overview.ts'

type NeedText = {
  one: string
  /** `#` becomes the number of cases. */
  many: string
  note?: string
  /** By default, the purchases filtered by this need. */
  href?: string
}

const needTexts = {
  fraud_warnings: { one: 'Decide about 1 fraud warning', many: 'Decide about # fraud warnings' },
  disputes: { one: 'Answer 1 dispute', many: 'Answer # disputes', note: 'The bank wants to hear from you by then' },
  lost_disputes: {
    one: 'End or keep 1 subscription after a lost dispute',
    many: 'End or keep # subscriptions after lost disputes',
  },
  failed_refunds: {
    one: 'Make 1 refund that did not reach its buyer',
    many: 'Make # refunds that did not reach their buyers',
  },
  uncovered_notes: {
    one: 'Refund 1 credit note again',
    many: 'Refund # credit notes again',
    note: 'Or note that you paid another way',
  },
  overdue_requests: {
    one: 'Answer 1 overdue access request',
    many: 'Answer # overdue access requests',
    href: '/admin/access?overdue=yes',
  },
  declarations: {
    one: 'Decide 1 declaration',
    many: 'Decide # declarations',
    note: 'Required by law',
    href: '/admin/purchases/declarations?state=open',
  },
  failed_payments: {
    one: 'Follow up 1 failed payment',
    many: 'Follow up # failed payments',
    note: 'The first loses access then',
    href: '/admin/purchases?status=past_due',
  },
  stuck_renewals: {
    one: 'Finalize 1 renewal that Stripe hasn’t charged',
    many: 'Finalize # renewals that Stripe hasn’t charged',
    note: 'Open the draft invoice at Stripe, correct what it names, and finalize it',
  },
  untaxed: {
    one: 'Add the tax of 1 subscription',
    many: 'Add the tax of # subscriptions',
    note: 'Add the customer’s country at Stripe, and turn on automatic tax there',
  },
  missing_at_stripe: {
    one: 'Check 1 subscription that Stripe doesn’t know',
    many: 'Check # subscriptions that Stripe doesn’t know',
    note: 'Wrong keys? If not, end them as gone at Stripe',
  },
  messages: { one: 'Answer 1 message', many: 'Answer # messages', href: '/admin/messages?state=open' },
  reviews: {
    one: 'Reply to 1 review of three stars or fewer',
    many: 'Reply to # reviews of three stars or fewer',
    href: '/admin/messages/reviews?show=to_answer',
  },
  new_requests: { one: 'Answer 1 access request', many: 'Answer # access requests', href: '/admin/access?overdue=no' },
  declined_to_end: {
    one: 'Refund or keep 1 declined buyer who still pays',
    many: 'Refund or keep # declined buyers who still pay',
    href: '/admin/access/people?endRequested=yes',
  },
  unscripted_products: {
    one: 'Choose the scripts of 1 product',
    many: 'Choose the scripts of # products',
    note: 'Until then, buyers wait for you',
    href: '/admin/access/connection',
  },
  access_stuck: {
    one: 'Unlock 1 person who paid and is stuck',
    many: 'Unlock # people who paid and are stuck',
    href: '/admin/access?kind=stuck',
  },
  access_name_not_found: {
    one: 'Fix 1 username that TradingView doesn’t know',
    many: 'Fix # usernames that TradingView doesn’t know',
    href: '/admin/access?kind=name_not_found',
  },
  access_name_taken: {
    one: 'Fix 1 username that two customers use',
    many: 'Fix # usernames that two customers use',
    href: '/admin/access?kind=name_taken',
  },
  access_name_unreadable: {
    one: 'Fix 1 username that isn’t valid',
    many: 'Fix # usernames that aren’t valid',
    href: '/admin/access?kind=name_unreadable',
  },
  access_had_access: {
    one: 'Manage 1 person who had access before',
    many: 'Manage # people who had access before',
    note: 'So that it ends with the subscription',
    href: '/admin/access?kind=had_access',
  },
  access_renamed: {
    one: 'Confirm 1 changed username',
    many: 'Confirm # changed usernames',
    href: '/admin/access?kind=renamed',
  },
  to_lock: {
    one: 'Remove 1 person whose access has ended',
    many: 'Remove # people whose access has ended',
    href: '/admin/access?kind=lock',
  },
  paused_newsletters: {
    one: 'Resume or stop 1 paused newsletter',
    many: 'Resume or stop # paused newsletters',
    href: '/admin/messages/newsletters',
  },
  unknown_subscriptions: {
    one: 'Take over 1 subscription that only Stripe knows',
    many: 'Take over # subscriptions that only Stripe knows',
    note: 'Or cancel it at Stripe',
    href: '/admin/purchases/at-stripe',
  },
  revenue_differs: {
    one: 'Compare 1 subscription that Stripe counts differently',
    many: 'Compare # subscriptions that Stripe counts differently',
    href: '/admin/overview/figures',
  },
  failed_jobs: { one: 'Look at 1 failed job', many: 'Look at # failed jobs', href: '/admin/activity' },
  settings: { one: 'Fix 1 setting', many: 'Fix # settings', href: '/admin/settings' },
} as const satisfies Record<NeedKind, NeedText>

export function needText(kind: NeedKind, count: string) {
  const texts: NeedText = needTexts[kind]
  return { text: count === '1' ? texts.one : texts.many.replace('#', count), note: texts.note }
}

export function needHref(kind: NeedKind) {
  const texts = needTexts[kind]
  return 'href' in texts ? texts.href : (`/admin/purchases?need=${kind}` as const)
}
