import { greeting, type Template } from '../template.ts'

const accessRequestReceived: Template<{ name: string; tradingViewUsername: string }> = (
  { name, tradingViewUsername },
  { publicUrl },
) => ({
  subject: 'We have your access request',
  preheader: 'Your TradingView access follows within 24 hours.',
  heading: 'Your access is on its way',
  paragraphs: [
    greeting(name),
    'Thank you. We will unlock Rebound Sigma Pro for your TradingView account within 24 hours and tell you by mail as soon as it is done.',
  ],
  details: [['TradingView username', tradingViewUsername]],
  action: { label: 'Read the setup guide', url: `${publicUrl}/setup-guide` },
  footnote: 'Is the username wrong? Answer this mail, and we will correct it.',
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
    'Rebound Sigma Pro is unlocked for your TradingView account. You find it on TradingView under Indicators, in the tab "Invite-only scripts".',
    'The setup guide takes you to your first daily chart in about five minutes.',
  ],
  details: [['TradingView username', tradingViewUsername]],
  action: { label: 'Start the setup guide', url: `${publicUrl}/setup-guide` },
})

const accessRefused: Template<{ name: string; reason: string }> = ({ name, reason }, { publicUrl }) => ({
  subject: 'We could not grant your TradingView access yet',
  preheader: 'One more step is needed from you.',
  heading: 'One more step is needed',
  paragraphs: [
    greeting(name),
    'We looked at your access request and could not unlock Rebound Sigma Pro yet. This is why:',
  ],
  quote: reason,
  action: { label: 'Send the request again', url: `${publicUrl}/dashboard` },
  footnote: 'Is anything unclear? Answer this mail.',
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
    'You are welcome back at any time. If you think this is a mistake, answer this mail.',
  ],
  details: [['TradingView username', tradingViewUsername]],
  action: { label: 'Open your dashboard', url: `${publicUrl}/dashboard` },
})

/** For owners who never told it, so that access cannot be granted. */
const tradingViewReminder: Template<{ name: string }> = ({ name }, { publicUrl }) => ({
  subject: 'We need your TradingView username',
  preheader: 'Without it we cannot unlock Rebound Sigma Pro for you.',
  heading: 'Tell us your TradingView username',
  paragraphs: [
    greeting(name),
    'Your subscription is active, but we do not know your TradingView username yet, so we cannot unlock Rebound Sigma Pro for you. Open your dashboard, choose Profile, and enter it there: we grant access within 24 hours.',
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
