import { roles } from '#contract/permissions.ts'
import type { MailData, MailKind } from './templates.ts'

type Samples = { [Kind in MailKind]: [MailData<Kind>, ...MailData<Kind>[]] }

const id = '0d4f6a52-6d0e-4a53-9a3c-2f1f6f7f0c01'
const subscription = {
  name: 'Ada Lovelace',
  product: 'Sample Indicator',
  billingType: 'yearly',
  period: 'year',
  amount: 39_000,
} as const
const about = { name: subscription.name, product: subscription.product }
const [paidAt, renewsAt] = ['2026-03-14T09:26:53.000Z', '2027-03-14T09:26:53.000Z']

const paid = { ...subscription, paidAt, renewsAt, purchaseId: id, invoiceId: 'in_1', isFirst: false, tax: null }
const tax = { percent: 19, amount: 6227, isReverseCharge: false, parts: [{ name: 'VAT', percent: 19, amount: 6227 }] }

const access = { ...about, tradingViewUsername: 'ada_trades' }

const declared = {
  id,
  name: 'Ada Lovelace',
  contract: 'RS-0D4F6A52',
  email: 'ada@example.com',
  forCause: false,
  reason: null,
  endsOn: null,
  declaredAt: paidAt,
}
const forCause = {
  forCause: true,
  reason: 'The indicator has not been working for three weeks.\nNobody answered.',
  endsOn: '2026-06-30',
}

export const samples: Samples = {
  welcome: [{ tokenId: id }],
  confirmAddress: [{ tokenId: id }],
  setPassword: [{ name: '', tokenId: id }],
  accountInvitation: [{ name: 'Ada Lovelace', tokenId: id }],
  accountHandedOver: [
    { tokenId: id, paymentIntentId: 'pi_1' },
    { tokenId: id, paymentIntentId: null },
  ],
  resetPassword: [{ tokenId: id }],
  choosePassword: [{ tokenId: id }],
  loginLink: [{ tokenId: id }, { tokenId: id, returnPath: '/checkout?billing=yearly' }],
  passwordChanged: [{}],
  newDevice: [{ at: paidAt, device: 'Chrome on Linux', ip: '2001:0db8:85a3:0000:0000:8a2e:0370:7334' }],
  newAdmin: [{ email: 'grace@example.com' }],
  roleGiven: [{ role: 'admin', tokenId: id }, ...roles.map((role) => ({ role, tokenId: id }))],
  accountDeleted: [{}],
  factorAdded: [{ what: 'passkey' }, { what: 'authenticator app' }, { what: 'set of recovery codes' }],
  factorRemoved: [{ what: 'authenticator app' }, { what: 'second step' }],
  recoveryCodeUsed: [{ left: 9 }],
  deviceLost: [{ id }],
  deviceLostLink: [{ id }],
  confirmEmail: [{ id }],
  emailTaken: [{}],
  emailChanged: [{ id }],
  addressRestored: [{ email: 'ada@example.com', customerId: id }],
  emailMoved: [{ name: 'Ada Lovelace' }],
  emailCorrected: [{ name: 'Ada Lovelace', tokenId: id }],
  mailTest: [{}],
  subscriptionExtended: [
    { ...about, until: renewsAt, renews: true },
    { ...about, until: renewsAt, renews: false },
  ],
  receipt: [
    { ...paid, isFirst: true, newsTo: id, unlocksItself: true, tax },
    { ...paid, isFirst: true, unlocksItself: true, needsUsername: true },
    { ...paid, isRenewal: true },
    { ...paid, billingType: 'monthly', period: 'month', amount: 3900, charged: 3120, renewsAt: null, invoiceId: null },
    { ...paid, isFirst: true, unlocksItself: true, newAccount: { tokenId: id, username: 'ada_trades' } },
    { ...paid, isFirst: true, unlocksItself: false, newAccount: { tokenId: id, username: null } },
    {
      ...paid,
      isFirst: true,
      unlocksItself: true,
      newAccount: { tokenId: id, username: 'ada_trades', handedOver: { paymentIntentId: 'pi_1' } },
    },
    { ...paid, isFirst: true, unlocksItself: true, attached: { username: 'ada_trades', paymentIntentId: 'pi_1' } },
    { ...paid, isFirst: true, unlocksItself: false, attached: { username: null, paymentIntentId: null } },
    { ...paid, charged: 36_660, switched: { credit: 2340, from: 'month' } },
  ],
  purchaseBooked: [
    { ...about, isGift: true, endsAt: renewsAt, tokenId: id },
    { ...about, isGift: false, endsAt: null, tokenId: null },
  ],
  purchaseTakenOver: [
    { ...about, tokenId: id },
    { ...about, tokenId: null },
  ],
  bookedEnds: [{ ...about, slug: 'sample-indicator', billingType: 'monthly', endsAt: renewsAt }],
  purchaseAttached: [
    { ...subscription, username: 'ada_trades', paymentIntentId: 'pi_1' },
    { ...subscription, username: null, paymentIntentId: null },
  ],
  subscriptionWillEnd: [
    {
      ...about,
      period: 'month',
      endsAt: renewsAt,
      refund: 0,
      shorter: null,
      withdrawal: { by: renewsAt, covers: 'all' },
    },
    {
      ...about,
      endsAt: renewsAt,
      period: 'year',
      refund: 21_350,
      shorter: 'monthly',
      withdrawal: { by: renewsAt, covers: 'since_switch' },
    },
  ],
  subscriptionPaused: [about],
  subscriptionResumed: [
    { ...subscription, renewsAt, wasPaused: false },
    { ...subscription, renewsAt, wasPaused: true },
  ],
  duplicateRefunded: [subscription],
  codeRefunded: [
    { ...subscription, because: 'code_used_up', code: 'SPRING' },
    { ...subscription, because: 'code_new_only', code: 'SPRING' },
  ],
  subscriptionEnded: [
    { ...about, because: 'cancelled' },
    { ...about, because: 'cancelled', restart: { slug: 'sample-indicator', billing: 'monthly' } },
    { ...about, because: 'unpaid' },
    { ...about, because: 'refunded' },
    { ...about, because: 'disputed' },
    { ...about, because: 'over' },
  ],
  renewalNotice: [
    { ...subscription, renewsAt, days: 30 },
    { ...subscription, renewsAt, days: 7 },
    { ...subscription, charged: 35_100, isAbout: true, renewsAt, days: 7 },
  ],
  cardExpires: [{ ...subscription, card: 'Visa •••• 4242', expiresAt: renewsAt, renewsAt, purchaseId: id }],
  discountEnds: [{ ...subscription, renewsAt }],
  paymentFailed: [
    { ...subscription, step: 1, endsAt: null },
    { ...subscription, step: 2, endsAt: renewsAt, refusal: 'This card has expired. Please use another one.' },
    { ...subscription, step: 3, endsAt: renewsAt },
    { ...subscription, step: 1, endsAt: renewsAt, awaitsBank: true },
    { ...subscription, step: 2, endsAt: renewsAt, invoice: { purchaseId: id, invoiceId: 'in_1' } },
  ],
  cardUpdated: [
    { name: 'Ada Lovelace', card: 'Visa ending in 4242' },
    { name: 'Ada Lovelace', card: null },
  ],
  refunded: [
    { ...about, amount: 39_000, hasEnded: true },
    { ...about, amount: 1000, hasEnded: false },
  ],
  refundFailed: [{ ...about, amount: 39_000 }],
  accessRequestReceived: [access],
  accessUnlocked: [access],
  accessDeclined: [
    { ...access, reason: 'There is no user "ada_trades".\nPlease check it.', staysUnlocked: false },
    { ...access, reason: 'That account belongs to somebody else.', staysUnlocked: true },
  ],
  accessWithheld: [access],
  accessEnded: [access],
  tradingViewReminder: [{ ...about, unlocksItself: true }],
  declarationReceived: [
    { ...declared, kind: 'withdrawal', isOwner: false, withLink: true },
    { ...declared, kind: 'withdrawal', isOwner: true, withLink: false },
    { ...declared, kind: 'cancellation', isOwner: false, withLink: false },
    { ...declared, ...forCause, kind: 'cancellation', isOwner: false, withLink: false },
  ],
  declarationToConfirm: [
    { id, kind: 'withdrawal', name: 'Ada Lovelace', declaredBy: 'A. Lovelace', declaredAt: paidAt },
    { id, kind: 'cancellation', name: '', declaredBy: 'A. Lovelace', declaredAt: paidAt },
  ],
  declarationWaits: [{ ...declared, ...forCause, kind: 'cancellation', isKnown: true }],
  withdrawnAgain: [{ email: 'ada@example.com', customerId: id, count: 2 }],
  declarationUnconfirmed: [{ ...declared, kind: 'withdrawal', dueAt: '2026-03-28T09:26:53.000Z' }],
  reviewInvitation: [{ name: 'Ada Lovelace', product: 'Sample Indicator' }],
  reviewWritten: [{ stars: 4, text: 'Few signals, but clear ones. <b>Good</b> support.', author: 'Ada' }],
  reviewReported: [{ reason: 'It insults a person.', text: 'The author is a crook.' }],
  reviewHidden: [{ reason: 'It names a private person.' }],
  tradingViewStopped: [
    { because: 'expired', lastError: 'TradingView no longer accepts the session.' },
    { because: 'blocked', lastError: 'TradingView blocks this server’s address.' },
    { because: 'changed', lastError: 'TradingView gave an answer that we do not understand.' },
  ],
  tradingViewStuck: [{ username: 'ada_trades', error: 'TradingView has an outage.', since: renewsAt }],
  tradingViewDifferences: [
    { missing: 2, wrong: 1, ended: 0, foreign: 3, blockedRemovals: 0, people: 83, mode: 'full' },
    { missing: 0, wrong: 0, ended: 41, foreign: 0, blockedRemovals: 41, people: 83, mode: 'full' },
    { missing: 0, wrong: 0, ended: 3, foreign: 0, blockedRemovals: 0, people: 83, mode: 'dry' },
  ],
  tradingViewPeople: [{ people: 90 }],
  nameNotFound: [{ name: 'Ada Lovelace', username: 'ada_trads', similar: ['ada_trades'] }],
  newsletterConfirmation: [{ id }],
  newsletter: (['subscriber', 'buyer'] as const).map((why) => ({
    subject: 'Exits are drawn on the chart',
    preheader: 'And the strategy reports what each one cost.',
    markdown:
      '## What is new\n\nExits are **drawn** where they happen. Set `Show exits`, or read the [changelog](/changelog).\n\n- no repainting\n- <b>raw HTML</b> is text',
    unsubscribeId: id,
    why,
  })) as Samples['newsletter'],
  serviceMessage: [
    {
      name: 'Ada Lovelace',
      product: 'Sample Indicator',
      reason: 'new_version',
      subject: 'Version 2 of your indicator',
      markdown: 'Version 2 is on your charts now. The [changelog](/changelog) says what changed.',
    },
  ],
  contactMessage: [
    {
      firstName: 'Ada',
      lastName: '<b>Lovelace</b>',
      email: 'ada@example.com',
      message: `Does it work for stocks in Zürich?\n\nAnd <script>alert(1)</script>? ${'Averylongword'.repeat(12)}`,
    },
  ],
  contactAnswer: [
    {
      firstName: 'Ada',
      message: 'Does it work for stocks in Zürich?\n\n<b>Really?</b>',
      answer: 'Yes, it does.\nAny stock exchange works.\n\nBest wishes,\nGrace',
    },
  ],
  sellerMessage: [
    {
      name: 'Ada Lovelace',
      subject: 'Your second product',
      answer: 'Both are unlocked now.\n\nTell me if one is missing.',
    },
  ],
  accessRequested: [
    { ...access, email: 'ada@example.com' },
    { ...access, name: '', email: 'ada@example.com' },
  ],
  disputeOpened: [{ email: 'ada@example.com', product: 'Sample Indicator', amount: 39_000 }],
  adminDigest: [
    { openRequests: 3, overdueRequests: 1, oldestHours: 26, failedJobs: 2 },
    { openRequests: 0, overdueRequests: 0, oldestHours: 0, failedJobs: 1 },
  ],
  saleMade: [
    {
      who: 'Ada Lovelace',
      customerId: id,
      product: 'Sample Indicator',
      billingType: 'yearly',
      amount: 39_000,
      mrr: 1_917_600,
    },
  ],
  salesOfDay: [
    {
      sales: [
        { who: 'Ada Lovelace', billingType: 'yearly', amount: 39_000 },
        { who: 'grace@example.com', billingType: 'monthly', amount: 3900 },
      ],
      mrr: 1_917_600,
    },
  ],
  mondayLetter: [
    {
      came: 6,
      gone: [
        { who: 'Ada Lovelace', why: 'Too expensive: “For now.”' },
        { who: 'grace@example.com', why: '' },
      ],
      mrr: 1_917_600,
      due: ['Answer 1 dispute', 'Decide 2 declarations'],
      open: ['Answer 3 messages'],
    },
    { came: 1, gone: [], mrr: 390_000, due: [], open: [] },
  ],
}
