import { greeting, type MailSite, type Template } from '../template.ts'

const passwordLink = (tokenId: string, { publicUrl, linkToken }: MailSite) =>
  `${publicUrl}/reset-password?token=${linkToken('password', tokenId)}`

const welcome: Template<{ name: string }> = ({ name }, { publicUrl }) => ({
  subject: 'Welcome to Rebound Sigma',
  preheader: 'Your account is ready.',
  heading: 'Your account is ready',
  paragraphs: [
    greeting(name),
    'Welcome to Rebound Sigma. From your dashboard you manage your subscriptions, invoices and profile.',
  ],
  action: { label: 'Open your dashboard', url: `${publicUrl}/dashboard` },
})

/** For a guest whose account was made by paying. `tokenId` is a row of `password_tokens`. */
const setPassword: Template<{ name: string; tokenId: string }> = ({ name, tokenId }, site) => ({
  subject: 'Set your password',
  preheader: 'Your account is waiting: choose a password to log in.',
  heading: 'Choose your password',
  paragraphs: [
    greeting(name),
    'Thank you for your purchase. We have made an account for you: choose a password, and you can log in at any time to see your subscription, your invoices and the Rebound List.',
  ],
  action: { label: 'Set your password', url: passwordLink(tokenId, site) },
  footnote:
    'The link works once. If it has expired, use "Forgot password?" on the login page to get a new one.',
})

/** Something was bought with the address of an account that nobody had verified. */
const accountHandedOver: Template<{ tokenId: string }> = ({ tokenId }, site) => ({
  subject: 'Set your password to see your purchase',
  preheader: 'Your account is waiting: choose a password to log in.',
  heading: 'Choose your password',
  paragraphs: [
    'Hello,',
    'Thank you for your purchase. Somebody had already signed up with your email address, but nobody had shown that it is theirs. So that only you see what you bought, the password of that account counts no more and every device was logged out.',
    'Choose a new password, and the account is yours.',
  ],
  action: { label: 'Set your password', url: passwordLink(tokenId, site) },
  footnote:
    'The link works once. If it has expired, use "Forgot password?" on the login page to get a new one.',
})

const resetPassword: Template<{ tokenId: string }> = ({ tokenId }, site) => ({
  subject: 'Reset your password',
  preheader: 'The link works once and for 60 minutes.',
  heading: 'Reset your password',
  paragraphs: [
    'Someone, hopefully you, asked to reset the password of your account. You can choose a new one below.',
  ],
  action: { label: 'Choose a new password', url: passwordLink(tokenId, site) },
  footnote:
    'The link works once and for 60 minutes. If you did not ask for it, ignore this mail: your password stays as it is.',
})

const passwordChanged: Template<Record<string, never>> = (_data, { publicUrl, supportEmail }) => ({
  subject: 'Your password was changed',
  preheader: 'Every device was logged out.',
  heading: 'Your password was changed',
  paragraphs: [
    'The password of your account has just been changed, and every device was logged out.',
    `If it was not you, reset it at once and write to ${supportEmail}.`,
  ],
  action: { label: 'Reset your password', url: `${publicUrl}/forgot-password` },
})

const newDevice: Template<{ at: string; device: string; ip: string }> = (
  { at, device, ip },
  { publicUrl },
) => ({
  subject: 'New login to your account',
  preheader: 'A browser or an address that we had not seen before.',
  heading: 'A new device logged in',
  paragraphs: [
    'Your account was used from a browser or an address that we had not seen before. If it was you, all is well.',
    'If not, reset your password: this logs out every device.',
  ],
  details: [
    ['When', `${at.slice(0, 16).replace('T', ' ')} UTC`],
    ['Address', ip],
    ['Browser', device],
  ],
  action: { label: 'Reset your password', url: `${publicUrl}/forgot-password` },
})

export const accountMails = {
  welcome,
  setPassword,
  accountHandedOver,
  resetPassword,
  passwordChanged,
  newDevice,
}
