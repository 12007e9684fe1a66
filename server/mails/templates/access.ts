import { whenAccessComes } from '#contract/access/promise.ts'
import { inertLine } from '../inert.ts'
import { greeting, type Template } from '../template.ts'

/** Only those whom the seller unlocks are told that we've got it: the others are unlocked first. */
const byHand = { unlocksItself: false }

/** One person's access to one product. */
type About = { name: string; product: string; tradingViewUsername: string }

const accessRequestReceived: Template<{ name: string; tradingViewUsername: string }> = (
  { name, tradingViewUsername },
  { publicUrl },
) => ({
  subject: 'We’ve got your access request',
  preheader: whenAccessComes(byHand),
  heading: 'Your access is on its way',
  paragraphs: [greeting(name), `Thank you. ${whenAccessComes(byHand)}`],
  details: [['TradingView username', inertLine(tradingViewUsername)]],
  action: { label: 'Read the setup guide', url: `${publicUrl}/setup-guide` },
  footnote: 'Is the username wrong? Reply to this email and we’ll correct it.',
})

const accessUnlocked: Template<About> = ({ name, product, tradingViewUsername }, { publicUrl }) => ({
  subject: 'Your TradingView access is ready',
  preheader: `Add ${product} to your first daily chart in five minutes.`,
  heading: 'Your access is ready',
  paragraphs: [
    greeting(name),
    `${product} is unlocked for your TradingView account. You’ll find it on TradingView under Indicators, in the “Invite-only scripts” tab.`,
    'The setup guide gets you to your first daily chart in about five minutes.',
  ],
  details: [['TradingView username', inertLine(tradingViewUsername)]],
  action: { label: 'Start the setup guide', url: `${publicUrl}/setup-guide` },
})

const accessDeclined: Template<
  About & {
    reason: string
    /** The buyer only wanted another account, and keeps the one they have. */
    staysUnlocked: boolean
  }
> = ({ name, product, tradingViewUsername, reason, staysUnlocked }, { publicUrl }) => ({
  subject: staysUnlocked
    ? 'Your TradingView access stays where it is'
    : 'We couldn’t unlock your TradingView access yet',
  preheader: 'We need one more thing from you.',
  heading: staysUnlocked ? 'Your access stays where it is' : 'One step left',
  paragraphs: [
    greeting(name),
    staysUnlocked
      ? `We looked at your request and couldn’t move ${product} to this TradingView account. It stays unlocked for the one you have. Here’s why:`
      : `We looked at your access request and couldn’t unlock ${product} yet. Here’s why:`,
  ],
  details: [['TradingView username', inertLine(tradingViewUsername)]],
  quote: reason,
  action: { label: 'Send the request again', url: `${publicUrl}/dashboard` },
  footnote: 'Anything unclear? Reply to this email.',
})

/** To somebody who still pays, so it must not speak of an end. */
const accessWithheld: Template<About> = ({ name, product, tradingViewUsername }, { publicUrl }) => ({
  subject: 'We’ve removed your TradingView access',
  preheader: 'Your subscription itself is unchanged.',
  heading: 'We’ve removed your access',
  paragraphs: [
    greeting(name),
    `We have removed ${product} from this TradingView account. Your subscription itself is unchanged.`,
    'To talk about it, reply to this email. You can also ask for access again on your dashboard.',
  ],
  details: [['TradingView username', inertLine(tradingViewUsername)]],
  action: { label: 'Open your dashboard', url: `${publicUrl}/dashboard` },
})

const accessEnded: Template<About> = ({ name, product, tradingViewUsername }, { publicUrl }) => ({
  subject: 'Your TradingView access has ended',
  preheader: `${product} is no longer unlocked for this account.`,
  heading: 'Your access has ended',
  paragraphs: [
    greeting(name),
    `${product} is no longer unlocked for this TradingView account, because the subscription behind it has ended.`,
    'You’re welcome back any time. If you think this is a mistake, reply to this email.',
  ],
  details: [['TradingView username', inertLine(tradingViewUsername)]],
  action: { label: 'Open your dashboard', url: `${publicUrl}/dashboard` },
})

/** For owners who haven't asked for access yet. Older emails didn't know what the shop can do. */
const tradingViewReminder: Template<{ name: string; product: string; unlocksItself?: boolean }> = (
  { name, product, unlocksItself = false },
  { publicUrl },
) => ({
  subject: 'We need your TradingView username',
  preheader: `Without it, we can’t unlock ${product} for you.`,
  heading: 'Tell us your TradingView username',
  paragraphs: [
    greeting(name),
    `Your subscription is active, but ${product} isn’t unlocked yet: we need to know for which TradingView account. Open your dashboard and send us your username under “TradingView Access”.`,
    whenAccessComes({ unlocksItself }),
  ],
  action: { label: 'Open your dashboard', url: `${publicUrl}/dashboard` },
})

export const accessMails = {
  accessRequestReceived,
  accessUnlocked,
  accessDeclined,
  accessWithheld,
  accessEnded,
  tradingViewReminder,
}
