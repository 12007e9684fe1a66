import { accessPromise } from '#contract/access/promise.ts'
import { dayInWords } from '#contract/dates.ts'
import { exactDollars } from '#contract/money.ts'
import { planOf } from '#contract/plans.ts'
import { type Tax, taxLine } from '#contract/selling/billing.ts'
import { contractNumber } from '#contract/selling/legal/consumer-law.ts'
import { link, type Piece, sentence } from '#contract/selling/legal/text.ts'
import type { BillingType } from '#contract/statuses.ts'
import { inertLine } from '../inert.ts'
import {
  type Action,
  type Detail,
  greeting,
  type MailSite,
  type Templates,
  termsInForce,
  toDashboard,
} from '../template.ts'
import { firstPasswordLink, handedOver, whatBuyersSee, worksOnce } from './accounts.ts'
import { unsubscribeLink } from './site.ts'

export type Subscription = { name: string; product: string; billingType: BillingType; period: string; amount: number }

export const planDetails = ({ product, period, amount }: Subscription): Detail[] => [
  ['Product', product],
  ['Price', `${exactDollars(amount)} per ${period}`],
]

type ChargeData = Subscription & {
  /** In cents; set where discounts or credit make it differ from the plan's price. */
  charged?: number
  /** The charges in words, if the amount changes over time: "$31.20 today, then $39.00 every month from Apr 14, 2026". */
  charges?: string | null
  /** Stripe could not be asked, so one-time items or tax may still change the amount. */
  isAbout?: boolean
}
const chargedOf = ({ charged, amount }: ChargeData) => exactDollars(charged ?? amount)

function chargedLine(label: string, data: ChargeData): Detail[] {
  if (data.charges) return [['Charges', data.charges]]
  const isPlanPrice = (data.charged ?? data.amount) === data.amount
  if (isPlanPrice && !data.isAbout) return []
  return [[label, `${data.isAbout ? 'about ' : ''}${chargedOf(data)}`]]
}

/** Works without a login, because a guest may have no password yet. Stripe's own links expire. */
function invoiceLink(ids: { purchaseId: string; invoiceId: string | null }, site: MailSite) {
  const { purchaseId: purchase, invoiceId: invoice } = ids
  if (!invoice) return `/dashboard?purchase=${purchase}`
  const token = site.linkToken('invoice', `${purchase} ${invoice}`)
  return `/invoice?${new URLSearchParams({ purchase, invoice, token })}`
}

/** In the EU, the terms include the withdrawal instruction and the model form. */
function contractTexts(site: MailSite) {
  const { version, sections } = termsInForce(site)
  return [
    { id: 'terms', title: `Terms of Service (version ${version})`, blocks: [] },
    ...sections.map((section, index) => ({ ...section, title: `${index + 1}. ${section.title}` })),
  ]
}

const dunning = {
  1: {
    subject: 'Your payment did not go through',
    text: 'We’ll keep trying over the next few days, and you keep your access in the meantime.',
  },
  2: {
    subject: 'Reminder: your payment did not go through',
    text: 'We’ve tried again without success. Please update your card, or make sure it can be charged. You keep your access for now.',
  },
  3: {
    subject: 'Last reminder: your subscription is about to end',
    text: 'This was our last attempt. Unless you pay with another card, your subscription and your access to the indicator will end soon.',
  },
}

const commonReasons = 'It happens: an expired card, a spending limit, a bank that wants confirmation.'

/** Only the buyer can confirm this payment; another attempt by Stripe would fail, too. */
const bankConfirmation = {
  subject: 'Please confirm your payment',
  text: 'Your bank wants you to confirm this payment. Your card is fine: open your dashboard and choose “Confirm with your bank”.',
}

type FailedPayment = ChargeData & {
  step: keyof typeof dunning
  endsAt: string | null
  awaitsBank?: boolean
  /** Why the card was declined, as a sentence. */
  refusal?: string | null
  /** Set for invoices that the seller sends by email; the linked page takes the payment without a login. */
  invoice?: { purchaseId: string; invoiceId: string }
}

function failureReason({ awaitsBank, refusal, step }: FailedPayment): string {
  if (awaitsBank) return ''
  return refusal ?? (step === 1 ? commonReasons : '')
}

/** If a new account is unlocked within minutes, no separate email about access follows. */
function accessLine(unlocksItself: boolean, newAccount: { username: string | null } | undefined) {
  if (!newAccount?.username || !unlocksItself) return accessPromise({ unlocksItself })
  return `We unlock it for ${inertLine(newAccount.username)} on TradingView right after the payment, usually within a minute. You’ll find it there under Indicators, in the “Invite-only scripts” tab. If it takes longer, an email follows.`
}

/** A guest bought with the address of an existing account, whose owner must confirm the username. */
export type AttachedPurchase = { username: string | null; paymentIntentId: string | null }

export const attachedLine = ({ username }: AttachedPurchase) =>
  `was just bought with your email address, without logging in. Because there is an account for this address, we’ve added the purchase to it. ${username ? `Log in to confirm the TradingView username ${inertLine(username)}; then it is unlocked.` : 'Log in to send your access request.'}`

export const attachedAction = ({ paymentIntentId }: AttachedPurchase): Action => [
  'Log in',
  paymentIntentId ? `/auth?payment_intent=${encodeURIComponent(paymentIntentId)}` : '/dashboard',
]

export const notBought = 'Didn’t buy anything? Reply to this email and we’ll look into it.'

type ReceiptData = ChargeData & {
  paidAt: string
  renewsAt: string | null
  purchaseId: string
  invoiceId: string | null
  isFirst: boolean
  /** The paid period follows another one of the same plan. */
  isRenewal?: boolean
  /** A plan switch credits the unused time of the former plan. */
  switched?: { credit: number; from: string } | null
  /** The connector unlocks the buyer; undefined if the email says nothing about access. */
  unlocksItself?: boolean | undefined
  attached?: AttachedPurchase | undefined
  /** The payment made the account or took it over. `tokenId` is a row of `password_tokens`. */
  newAccount?: { tokenId: string; username: string | null; handedOver?: { paymentIntentId: string | null } } | undefined
  needsUsername?: boolean | undefined
  /** The buyer's id, set if the checkout announced product news. */
  newsTo?: string | undefined
  tax: Tax | null
}

function nextStepAction({ attached, newAccount, needsUsername }: ReceiptData, site: MailSite): Action | undefined {
  if (attached) return attachedAction(attached)
  if (newAccount)
    return ['Set your password', firstPasswordLink(newAccount.tokenId, site, newAccount.handedOver?.paymentIntentId)]
  return needsUsername ? ['Enter your TradingView username', '/dashboard'] : undefined
}

const accountLine = (newAccount: NonNullable<ReceiptData['newAccount']>, site: MailSite) =>
  newAccount.handedOver
    ? handedOver
    : `We’ve created your account: choose a password, and you can log in any time to see ${whatBuyersSee(site)}.`

const confirmsContract = ({ isFirst, switched }: ReceiptData) => isFirst || Boolean(switched)

function receiptFootnote(data: ReceiptData, site: MailSite): Piece[] {
  const { isFirst, switched, attached, newsTo } = data
  const guide = isFirst ? sentence`${link('Setup guide (5 minutes)', '/setup-guide')}\n` : []
  const invoice = nextStepAction(data, site)
    ? sentence`${link('View the invoice', invoiceLink(data, site))} (opens once; your dashboard has all invoices)\n`
    : []
  const canWithdraw = site.consumerLaw === 'eu' && confirmsContract(data)
  const hasMonthsNotice = site.consumerLaw === 'eu' && data.isRenewal && planOf(data.billingType).months > 1
  const notices = [
    attached && notBought,
    hasMonthsNotice
      ? `You can cancel any time with one month’s notice; we refund the rest of the ${data.period}.`
      : 'You can cancel any time from your dashboard and keep access until the end of the paid period.',
    canWithdraw &&
      `Within 14 days you can withdraw and get ${switched ? 'back everything you’ve paid for the time since' : 'all your money back'}: ${site.publicUrl}/withdraw`,
    newsTo &&
      'We may email you news about this and our similar products. You can object any time, at no more than the basic cost of sending: ',
  ].filter(Boolean)
  const objection = newsTo ? [link('No news, please', unsubscribeLink(newsTo, site))] : []
  return [...guide, ...invoice, { text: notices.join('\n') }, ...objection]
}

export const paymentMails = {
  receipt: (data: ReceiptData, site) => {
    const { switched, attached, newAccount } = data
    const needsUsername = data.needsUsername && !attached
    const isAboutAccess = data.isFirst && !attached
    const nextStep = nextStepAction(data, site)
    return {
      subject: switched ? `You’ve switched to ${data.billingType}: ${data.product}` : `Your receipt: ${data.product}`,
      paragraphs: [
        greeting(data.name),
        switched
          ? `You now pay for ${data.product} by the ${data.period}, and we’ve received your payment for the first one. It began today; your access continues.`
          : `We’ve received your payment for ${data.product}.${attached ? ` It ${attachedLine(attached)}` : ''}`,
        confirmsContract(data) && 'This email confirms your contract. Its terms are below; please keep it.',
        isAboutAccess && data.unlocksItself !== undefined && accessLine(data.unlocksItself, newAccount),
        needsUsername && 'One step is left: enter your TradingView username on your dashboard.',
        newAccount && accountLine(newAccount, site),
      ],
      details: [
        ...planDetails(data),
        !!switched?.credit && [`Unused time of your ${switched.from}`, exactDollars(-switched.credit)],
        ...chargedLine('Paid', data),
        data.tax && ['Tax', taxLine(data.tax)],
        newAccount?.username && ['TradingView username', inertLine(newAccount.username)],
        ['Contract', contractNumber(data.purchaseId)],
        ['Paid on', dayInWords(data.paidAt)],
        data.renewsAt && ['Renews on', dayInWords(data.renewsAt)],
      ],
      action: nextStep ?? ['View the invoice', invoiceLink(data, site)],
      actionNote: newAccount && worksOnce,
      footnote: receiptFootnote(data, site),
      documents: confirmsContract(data) && contractTexts(site),
    }
  },
  renewalNotice: (data: ChargeData & { renewsAt: string; days: number }, site) => ({
    subject: data.days === 1 ? 'Your subscription renews tomorrow' : `Your subscription renews in ${data.days} days`,
    paragraphs: [
      greeting(data.name),
      `Your ${data.billingType} subscription to ${data.product} renews on ${dayInWords(data.renewsAt)}. If you want to stay, there’s nothing to do. If not, cancel before that day from your dashboard.`,
      site.consumerLaw === 'eu' &&
        `After that day, you can still leave at any time with one month’s notice, and we refund the rest of the ${data.period}.`,
    ],
    details: [...planDetails(data), ...chargedLine('Next charge', data), ['Renews on', dayInWords(data.renewsAt)]],
    action: ['Manage your subscription', '/dashboard'],
  }),
  cardExpires: (data: ChargeData & { card: string; expiresAt: string; renewsAt: string; purchaseId: string }) => ({
    subject: 'Your card expires before the next charge',
    paragraphs: [
      greeting(data.name),
      `Your card ${data.card} expires on ${dayInWords(data.expiresAt)}, and your subscription to ${data.product} renews on ${dayInWords(data.renewsAt)}. If your bank sends you a new card, please enter it before then, so that nothing is interrupted.`,
    ],
    details: [...planDetails(data), ...chargedLine('Next charge', data), ['Renews on', dayInWords(data.renewsAt)]],
    action: ['Change your card', `/dashboard?card=${data.purchaseId}`],
  }),
  discountEnds: (data: ChargeData & { renewsAt: string }) => ({
    subject: 'Your discount ends with the next charge',
    paragraphs: [
      greeting(data.name),
      `Your discount for ${data.product} has run its time. From ${dayInWords(data.renewsAt)} on, the regular price of ${chargedOf(data)} is charged. If that is not what you want, you can cancel before that day from your dashboard.`,
    ],
    details: [...planDetails(data), ...chargedLine('Next charge', data), ['From', dayInWords(data.renewsAt)]],
    action: ['Manage your subscription', '/dashboard'],
  }),
  paymentFailed: (data: FailedPayment, site) => {
    const { subject, text } = data.awaitsBank ? bankConfirmation : dunning[data.step]
    return {
      subject,
      paragraphs: [
        greeting(data.name),
        [`We couldn’t charge ${chargedOf(data)} for ${data.product}.`, failureReason(data), text]
          .filter(Boolean)
          .join(' '),
      ],
      details: [...planDetails(data), data.endsAt && ['Access until', dayInWords(data.endsAt)]],
      action: data.invoice
        ? [`Pay ${chargedOf(data)}`, invoiceLink(data.invoice, site)]
        : [data.awaitsBank ? 'Confirm with your bank' : 'Update your card', '/dashboard'],
    }
  },
  cardUpdated: (data: { name: string; card: string | null }) => ({
    subject: 'Your card was changed',
    paragraphs: [
      greeting(data.name),
      `The card for your subscription was changed on your dashboard. From now on, we’ll charge the new one${data.card ? `, ${data.card}` : ''}.`,
    ],
    action: toDashboard,
    footnote: 'Wasn’t you? Reset your password and reply to this email right away.',
  }),
} satisfies Templates
