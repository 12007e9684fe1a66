import { inertLine } from '../inert.ts'
import { greeting, type Template } from '../template.ts'

const accessRequestReceived: Template<{ name: string; tradingViewUsername: string }> = (
  { name, tradingViewUsername },
  { publicUrl },
) => ({
  subject: 'We’ve got your access request',
  preheader: 'Your TradingView access is coming within 24 hours.',
  heading: 'Your access is on its way',
  paragraphs: [
    greeting(name),
    'Thank you. We’ll unlock Rebound Sigma Pro for your TradingView account within 24 hours and email you as soon as it’s done.',
  ],
  details: [['TradingView username', inertLine(tradingViewUsername)]],
  action: { label: 'Read the setup guide', url: `${publicUrl}/setup-guide` },
  footnote: 'Is the username wrong? Reply to this email and we’ll correct it.',
})

const accessGranted: Template<{ name: string; tradingViewUsername: string }> = (
  { name, tradingViewUsername },
  { publicUrl },
) => ({
  subject: 'Your TradingView access is ready',
  preheader: 'Add Rebound Sigma Pro to your first daily chart in five minutes.',
  heading: 'Your access is ready',
  paragraphs: [
    greeting(name),
    'Rebound Sigma Pro is unlocked for your TradingView account. You’ll find it on TradingView under Indicators, in the “Invite-only scripts” tab.',
    'The setup guide gets you to your first daily chart in about five minutes.',
  ],
  details: [['TradingView username', inertLine(tradingViewUsername)]],
  action: { label: 'Start the setup guide', url: `${publicUrl}/setup-guide` },
})

const accessRefused: Template<{ name: string; reason: string }> = ({ name, reason }, { publicUrl }) => ({
  subject: 'We couldn’t grant your TradingView access yet',
  preheader: 'We need one more thing from you.',
  heading: 'One step left',
  paragraphs: [
    greeting(name),
    'We looked at your access request and couldn’t unlock Rebound Sigma Pro yet. Here’s why:',
  ],
  quote: reason,
  action: { label: 'Send the request again', url: `${publicUrl}/dashboard` },
  footnote: 'Anything unclear? Reply to this email.',
})

const accessRevoked: Template<{ name: string; tradingViewUsername: string }> = (
  { name, tradingViewUsername },
  { publicUrl },
) => ({
  subject: 'Your TradingView access has ended',
  preheader: 'Rebound Sigma Pro is no longer unlocked for this account.',
  heading: 'Your access has ended',
  paragraphs: [
    greeting(name),
    'Rebound Sigma Pro is no longer unlocked for this TradingView account, because the subscription behind it has ended or you moved to another username.',
    'You’re welcome back any time. If you think this is a mistake, reply to this email.',
  ],
  details: [['TradingView username', inertLine(tradingViewUsername)]],
  action: { label: 'Open your dashboard', url: `${publicUrl}/dashboard` },
})

/** For owners whose username we don't have, so we can't grant access. */
const tradingViewReminder: Template<{ name: string }> = ({ name }, { publicUrl }) => ({
  subject: 'We need your TradingView username',
  preheader: 'Without it, we can’t unlock Rebound Sigma Pro for you.',
  heading: 'Tell us your TradingView username',
  paragraphs: [
    greeting(name),
    'Your subscription is active, but we don’t have your TradingView username yet, so we can’t unlock Rebound Sigma Pro for you. Open your dashboard and enter it under “TradingView Access”; we’ll unlock it within 24 hours.',
  ],
  action: { label: 'Open your dashboard', url: `${publicUrl}/dashboard` },
})

export const accessRequestMails = {
  accessRequestReceived,
  accessGranted,
  accessRefused,
  accessRevoked,
  tradingViewReminder,
}
