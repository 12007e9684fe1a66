import type { MailSite, Nothing, Templates } from '../template.ts'

const link = (action: string, id: string, { linkToken }: MailSite) =>
  `/account/link?action=${action}&id=${id}&token=${linkToken(action, id)}`

const ifNotYou = (supportEmail: string) =>
  `If this wasn’t you, reset your password right away and email ${supportEmail}.`

export const factorMails = {
  factorAdded: ({ what }: { what: string }, { supportEmail }) => ({
    subject: `A new ${what} was added to your account`,
    paragraphs: [
      `A new ${what} was just added to your account, and your other devices were logged out.`,
      ifNotYou(supportEmail),
    ],
    action: ['See how you log in', '/account'],
  }),
  factorRemoved: ({ what }: { what: string }, { supportEmail }) => ({
    subject: `Your ${what} was removed`,
    paragraphs: [
      `Your ${what} was removed from your account, and your other devices were logged out.`,
      ifNotYou(supportEmail),
    ],
    action: ['See how you log in', '/account'],
  }),
  recoveryCodeUsed: ({ left }: { left: number }, { supportEmail }) => ({
    subject: 'A recovery code was used to log in',
    paragraphs: [
      `Someone logged in to your account with your password and one of your recovery codes. ${left} of 10 are left. Every other device was logged out.`,
      'If it was you, set up your authenticator app or passkey again, so you don’t need another code.',
      ifNotYou(supportEmail),
    ],
    action: ['Set up your login again', '/account'],
  }),
  /** `id` is a row of `factor_resets`. */
  deviceLost: ({ id }: { id: string }, site) => ({
    subject: 'You asked to remove your second step',
    paragraphs: [
      'Someone entered your password and said that your device and your recovery codes are lost. If it was you, there’s nothing to do: in 72 hours we’ll email you a link that removes the second step, and you can log in with your password again.',
      'If it wasn’t you, someone knows your password. Stop this with the button, then reset your password.',
    ],
    action: ['It wasn’t me: stop', link('stop-reset', id, site)],
    footnote: 'Have you found your device? Log in with it, and this stops by itself.',
  }),
  deviceLostLink: ({ id }: { id: string }, site) => ({
    subject: 'Remove your second step now',
    paragraphs: [
      'You asked for this 72 hours ago. The link removes your passkeys, your authenticator app, and your recovery codes; you then log in with your password and can set them up again.',
      'If it wasn’t you, don’t use the link, and reset your password.',
    ],
    action: ['Remove my second step', link('finish-reset', id, site)],
    footnote: 'The link works once and expires after 7 days.',
  }),
  /** `id` is a row of `email_changes`. */
  confirmEmail: ({ id }: { id: string }, site) => ({
    subject: 'Confirm your new email address',
    paragraphs: [
      'Someone, hopefully you, wants to use this address for their account with us. It takes effect once you confirm it, in the browser you’re logged in with.',
    ],
    action: ['Confirm this address', link('confirm-email', id, site)],
    footnote: 'The link works once and expires after 24 hours. If it wasn’t you, ignore this email; nothing happens.',
  }),
  /** Goes to the typed address, so that the page need not reveal that it has an account. */
  emailTaken: (_: Nothing) => ({
    subject: 'This address already has an account',
    paragraphs: [
      'Someone, perhaps you, wanted to use this address for another account with us. That isn’t possible, because it already has one.',
      'If it was you, log in with this address, or choose a different one. If not, there’s nothing to do.',
    ],
    action: ['Log in', '/auth'],
  }),
  emailChanged: ({ id }: { id: string }, site) => ({
    subject: 'Your email address was changed',
    paragraphs: [
      'Your account now uses another email address. If that was you, there’s nothing to do, and we won’t write to this one again.',
      'If it wasn’t you, undo it within 72 hours: your account gets this address back, every device is logged out, passkeys and authenticator apps added in the last 30 days and all recovery codes are removed, and we email you a link to choose a new password.',
    ],
    action: ['It wasn’t me: undo', link('undo-email', id, site)],
  }),
} satisfies Templates
