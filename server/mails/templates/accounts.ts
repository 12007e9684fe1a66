import { brand } from '#contract/brand.ts'
import type { Role } from '#contract/permissions.ts'
import { inertLine } from '../inert.ts'
import { greeting, type MailSite, type Nothing, type Templates } from '../template.ts'

const passwordLink = (tokenId: string, { linkToken }: MailSite, leadingParameters = '') =>
  `/reset-password?${leadingParameters}token=${linkToken('password', tokenId)}`

const rolesInWords: Record<Role | 'admin', { who: string; may: string }> = {
  admin: { who: 'an admin', may: 'do everything' },
  support: { who: 'on the support team', may: 'see users, purchases, and the access queue' },
  accountant: { who: 'an accountant', may: 'see payments and invoices' },
}

/** Makes the page speak of choosing a password instead of resetting one. With a payment, the login leads to the purchase. */
export function firstPasswordLink(tokenId: string, site: MailSite, paymentIntentId?: string | null) {
  const payment = paymentIntentId ? `payment_intent=${paymentIntentId}&` : ''
  return passwordLink(tokenId, site, `first=1&${payment}`)
}

const confirmationLink = (tokenId: string, { linkToken }: MailSite) =>
  `/confirm-address?token=${linkToken('password', tokenId)}`

export const handedOver =
  'Someone had already signed up with your email address but never confirmed that it was theirs. To make sure only you can see what you bought, we’ve reset that account’s password and logged out every device. Choose a new password, and the account is yours.'
export const worksOnce =
  'The link works once. If it has expired, use “Forgot password?” on the login page to get a new one.'
const unlessYou =
  'The link works for 7 days. If you don’t know this account, ignore this email, or use the link to choose a password: then the account is yours alone.'

export const whatBuyersSee = ({ productsOnSale }: MailSite) => {
  const lists = productsOnSale.flatMap(({ list }) => (list ? [`the ${list}`] : []))
  return new Intl.ListFormat('en').format(['your subscription', 'your invoices', ...lists])
}

export const accountMails = {
  /** Leaves out the name, which may be a stranger's message. */
  welcome: ({ tokenId }: { tokenId: string }, site) => ({
    subject: `Welcome to ${brand.name}`,
    paragraphs: [
      'Hello,',
      `Welcome to ${brand.name}. Your dashboard is where you manage your subscriptions, invoices, and profile.`,
      'Please confirm that this address is yours, in the browser you signed up with.',
    ],
    action: ['Confirm your address', confirmationLink(tokenId, site)],
    footnote: unlessYou,
  }),
  confirmAddress: ({ tokenId }: { tokenId: string }, site) => ({
    subject: 'Confirm your email address',
    paragraphs: [
      `Someone, hopefully you, has an account with this address at ${brand.name}. Please confirm that it’s yours, in the browser you’re logged in with.`,
    ],
    action: ['Confirm your address', confirmationLink(tokenId, site)],
    footnote: unlessYou,
  }),
  /** `tokenId` is a row of `password_tokens`. */
  setPassword: ({ name, tokenId }: { name: string; tokenId: string }, site) => ({
    subject: 'Set your password',
    paragraphs: [
      greeting(name),
      `Thank you for your purchase. We’ve created your account: choose a password, and you can log in any time to see ${whatBuyersSee(site)}.`,
    ],
    action: ['Set your password', firstPasswordLink(tokenId, site)],
    footnote: worksOnce,
  }),
  /** For an account that an admin created: its owner chooses a password that the admin does not know. */
  accountInvitation: ({ name, tokenId }: { name: string; tokenId: string }, site) => ({
    subject: `Your account at ${brand.name}`,
    paragraphs: [
      greeting(name),
      `We’ve created an account for you at ${brand.name}. Choose a password, and you can log in any time.`,
    ],
    action: ['Set your password', firstPasswordLink(tokenId, site)],
    footnote: worksOnce,
  }),
  /** Someone bought with the address of an unverified account, without a payment that has a receipt. */
  accountHandedOver: ({ tokenId, paymentIntentId }: { tokenId: string; paymentIntentId: string | null }, site) => ({
    subject: 'Set your password to see your purchase',
    paragraphs: ['Hello,', `Thank you for your purchase. ${handedOver}`],
    action: ['Set your password', firstPasswordLink(tokenId, site, paymentIntentId)],
    footnote: worksOnce,
  }),
  resetPassword: ({ tokenId }: { tokenId: string }, site) => ({
    subject: 'Reset your password',
    paragraphs: ['Someone, hopefully you, asked to reset your password. You can choose a new one below.'],
    action: ['Choose a new password', passwordLink(tokenId, site)],
    footnote:
      'The link works once and expires after 60 minutes. If you didn’t ask for it, ignore this email; your password stays the same.',
  }),
  loginLink: ({ tokenId, returnPath }: { tokenId: string; returnPath?: string }, { linkToken }) => ({
    subject: 'Your login link',
    paragraphs: [`Someone, hopefully you, asked for a link to log in to ${brand.name}.`],
    action: [
      'Log in',
      `/auth/link?token=${linkToken('login', tokenId)}${returnPath ? `&return=${encodeURIComponent(returnPath)}` : ''}`,
    ],
    footnote:
      'The link works once and expires after 15 minutes. If you didn’t ask for it, ignore this email; nobody gets in without it.',
  }),
  choosePassword: ({ tokenId }: { tokenId: string }, site) => ({
    subject: 'Choose your password',
    paragraphs: [
      `Your account doesn’t have a password yet. Choose one, and you can log in any time to see ${whatBuyersSee(site)}.`,
    ],
    action: ['Choose a password', firstPasswordLink(tokenId, site)],
    footnote: 'The link works once and expires after 60 minutes. If you didn’t ask for it, you can ignore this email.',
  }),
  passwordChanged: (_: Nothing, { supportEmail }) => ({
    subject: 'Your password was changed',
    paragraphs: [
      'Your password was just changed, and every other device was logged out.',
      `If this wasn’t you, reset it right away and email ${supportEmail}.`,
    ],
    action: ['Reset your password', '/forgot-password'],
  }),
  newDevice: ({ at, device, ip }: { at: string; device: string; ip: string }) => ({
    subject: 'New login to your account',
    paragraphs: [
      'Someone logged in to your account from a browser or address we hadn’t seen before. If it was you, there’s nothing to do.',
      'If not, reset your password; that logs out every device.',
    ],
    details: [
      ['When', `${at.slice(0, 16).replace('T', ' ')} UTC`],
      ['Address', ip],
      ['Browser', inertLine(device)],
    ],
    action: ['Reset your password', '/forgot-password'],
  }),
  newAdmin: ({ email }: { email: string }) => ({
    subject: 'Your shop has a new admin',
    paragraphs: [
      `${email} is now an admin of your shop: they can refund, export, and change everything you can.`,
      'If you didn’t expect this, take the role away in the admin area and change your password.',
    ],
    action: ['Open the users', '/admin/users'],
  }),
  roleGiven: ({ role, tokenId }: { role: Role | 'admin'; tokenId: string }, site) => {
    const { who, may } = rolesInWords[role]
    return {
      subject: `You’re now ${who} of ${brand.name}`,
      paragraphs: [
        `An admin of the shop gave you this role. In the admin area, you can ${may}.`,
        'We’ve logged you out everywhere and removed your password, passkeys, app codes, and recovery codes. Choose a new password, then set up a second step again.',
        `If you didn’t expect this, email ${site.supportEmail} right away.`,
      ],
      action: ['Choose a password', firstPasswordLink(tokenId, site)],
      footnote: worksOnce,
    }
  },
  emailMoved: ({ name }: { name: string }, { supportEmail }) => ({
    subject: 'The email address of your account was changed',
    paragraphs: [
      greeting(name),
      'Our support team changed the email address of your account and logged out every device. Emails about your account go to the new address from now on.',
      `If you didn’t ask for this, email ${supportEmail} right away.`,
    ],
  }),
  /** The link proves the new address. */
  emailCorrected: ({ name, tokenId }: { name: string; tokenId: string }, site) => ({
    subject: 'Your account has this email address now',
    paragraphs: [
      greeting(name),
      'Our support team changed your account to this email address. Choose a password, and you can log in with it.',
    ],
    action: ['Choose a password', firstPasswordLink(tokenId, site)],
    footnote: `${worksOnce} If you know nothing of this, ignore this email.`,
  }),
  /** Last email to a deleted account, so it has no link to log in. */
  accountDeleted: (_: Nothing, { supportEmail }) => ({
    subject: 'Your account was deleted',
    paragraphs: [
      'Your account and your personal data were deleted. Any subscription has ended, and nothing will be charged again.',
      'We keep records of past payments, as required by law, but without your name or email address.',
      `If this wasn’t you, email ${supportEmail} right away. This is the last email we’ll send to this address.`,
    ],
  }),
} satisfies Templates
