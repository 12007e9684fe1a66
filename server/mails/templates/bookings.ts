import type { BillingType } from '#contract/statuses.ts'
import { day, greeting, type Template } from '../template.ts'
import { firstPasswordLink } from './accounts.ts'

/** The seller booked it by hand: a gift, or paid for elsewhere. `tokenId` is for anyone who has no password yet. */
const purchaseBooked: Template<{
  name: string
  product: string
  isGift: boolean
  endsAt: string | null
  tokenId: string | null
}> = (data, site) => ({
  subject: `You have access to ${data.product}`,
  preheader: data.endsAt ? `It’s yours until ${day(data.endsAt)}.` : 'It’s yours.',
  heading: data.isGift ? `${data.product} is a gift for you` : `${data.product} is yours`,
  paragraphs: [
    greeting(data.name),
    data.isGift
      ? `We’ve given you access to ${data.product}. You pay nothing for it.`
      : `We’ve added ${data.product} to your account.`,
    ...(data.tokenId ? ['Choose a password, and you can log in any time.'] : []),
    'If we don’t know your TradingView username yet, enter it on your dashboard, and we’ll unlock the indicator for you.',
  ],
  details: [
    ['Product', data.product],
    ...(data.endsAt ? [['Access until', day(data.endsAt)] as [string, string]] : []),
  ],
  ...accountAction(data.tokenId, site),
})

/** To the account, whether or not it has a password yet. */
const accountAction = (tokenId: string | null, site: Parameters<typeof firstPasswordLink>[1]) =>
  tokenId
    ? {
        action: { label: 'Set your password', url: firstPasswordLink(tokenId, site) },
        footnote:
          'The link works once. If it has expired, use “Forgot password?” on the login page to get a new one.',
      }
    : { action: { label: 'Open your dashboard', url: `${site.publicUrl}/dashboard` } }

/** A subscription that began at Stripe is now the shop's. `tokenId` is for anyone who has no password yet. */
const purchaseTakenOver: Template<{ name: string; product: string; tokenId: string | null }> = (
  { name, product, tokenId },
  site,
) => ({
  subject: `Your subscription to ${product} has a new home`,
  preheader: 'Same price, same card, same dates. Nothing is charged now.',
  heading: 'Your subscription has a new home',
  paragraphs: [
    greeting(name),
    `You can now manage your subscription to ${product} in our shop. You pay the same as before, on the same dates and with the same card, and nothing is charged now.`,
    tokenId
      ? 'Choose a password, then enter your TradingView username on your dashboard if we don’t know it yet.'
      : 'If we don’t know your TradingView username yet, enter it on your dashboard.',
  ],
  ...accountAction(tokenId, site),
})

/** A week before something booked by hand runs out. */
const bookedEnds: Template<{
  name: string
  product: string
  slug: string
  billingType: BillingType
  endsAt: string
}> = (data, { publicUrl }) => ({
  subject: `Your access to ${data.product} ends on ${day(data.endsAt)}`,
  preheader: 'Nothing is charged. Subscribe if you want to stay.',
  heading: `Your access ends on ${day(data.endsAt)}`,
  paragraphs: [
    greeting(data.name),
    `Your access to ${data.product} ends on ${day(data.endsAt)}, and nothing is charged. If you want to stay, subscribe: your subscription starts on the day you pay.`,
  ],
  details: [
    ['Product', data.product],
    ['Access until', day(data.endsAt)],
  ],
  action: {
    label: 'Subscribe',
    url: `${publicUrl}/checkout?${new URLSearchParams({ product: data.slug, billing: data.billingType })}`,
  },
})

export const bookingMails = { purchaseBooked, purchaseTakenOver, bookedEnds }
