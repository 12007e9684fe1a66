import { accessPromise } from '#contract/access/promise.ts'
import { dayInWords } from '#contract/dates.ts'
import type { ConnectionMode } from '#contract/statuses.ts'
import { inertLine } from '../inert.ts'
import { counted, greeting, type Templates, toDashboard } from '../template.ts'

const unlockedByHand = { unlocksItself: false }

type BuyerAccess = { name: string; product: string; tradingViewUsername: string }

const stopTexts = {
  expired: {
    subject: 'Your TradingView session has ended',
    text: 'Your TradingView session has ended, so the shop can no longer unlock anyone. Until you renew it, buyers have to wait for you. The admin area shows how, in five steps.',
  },
  blocked: {
    subject: 'TradingView is blocking your server',
    text: 'TradingView is refusing calls from your server’s address, so the shop can’t unlock anyone. Run the shop from another address, or unlock buyers by hand in the meantime.',
  },
  changed: {
    subject: 'TradingView has changed how it answers',
    text: 'TradingView has given several answers in a row that the shop doesn’t understand. To be safe, it has stopped calling. Unlock buyers by hand, and check for an update to the shop.',
  },
}

/** `staysUnlocked`: the buyer asked to move to another TradingView account and keeps the present one. */
type DeclinedAccess = BuyerAccess & { reason: string; staysUnlocked: boolean }

type ReminderData = Pick<BuyerAccess, 'name' | 'product'> & { unlocksItself: boolean }

/** `blockedRemovals` are also counted as `ended` or `wrong`. */
type Comparison = Record<'missing' | 'wrong' | 'ended' | 'foreign' | 'blockedRemovals' | 'people', number> & {
  mode: ConnectionMode
}

const comparisonTexts: Record<ConnectionMode, string> = {
  dry: 'The shop compared every list with what’s been paid for. It’s in dry run, so it changed nothing.',
  grant:
    'The shop compared every list with what’s been paid for and fixed the differences, except that it removes no one while it may only unlock.',
  full: 'The shop compared every list with what’s been paid for and fixed the differences.',
}

function comparisonSubject(handledCount: number, { blockedRemovals, people, mode }: Comparison) {
  if (blockedRemovals) return `${blockedRemovals} of ${people} people would lose access. Please check.`
  return mode === 'full'
    ? `Overnight sync: ${counted(handledCount, 'fix', 'fixes')}`
    : `Overnight check: ${counted(handledCount, 'difference', 'differences')}`
}

export const accessMails = {
  accessRequestReceived: ({ name, tradingViewUsername }: { name: string; tradingViewUsername: string }) => ({
    subject: 'We’ve got your access request',
    paragraphs: [greeting(name), `Thank you. ${accessPromise(unlockedByHand)}`],
    details: [['TradingView username', inertLine(tradingViewUsername)]],
    action: ['Read the setup guide', '/setup-guide'],
    footnote: 'Is the username wrong? Reply to this email and we’ll correct it.',
  }),
  accessUnlocked: ({ name, product, tradingViewUsername }: BuyerAccess) => ({
    subject: 'Your TradingView access is ready',
    paragraphs: [
      greeting(name),
      `${product} is unlocked for your TradingView account. You’ll find it on TradingView under Indicators, in the “Invite-only scripts” tab.`,
      'The setup guide gets you to your first daily chart in about five minutes.',
    ],
    details: [['TradingView username', inertLine(tradingViewUsername)]],
    action: ['Start the setup guide', '/setup-guide'],
  }),
  accessDeclined: ({ name, product, tradingViewUsername, reason, staysUnlocked }: DeclinedAccess) => ({
    subject: staysUnlocked
      ? 'Your TradingView access stays where it is'
      : 'We couldn’t unlock your TradingView access yet',
    paragraphs: [
      greeting(name),
      staysUnlocked
        ? `We looked at your request and couldn’t move ${product} to this TradingView account. It stays unlocked for the one you have. Here’s why:`
        : `We looked at your access request and couldn’t unlock ${product} yet. Here’s why:`,
    ],
    details: [['TradingView username', inertLine(tradingViewUsername)]],
    quote: reason,
    action: ['Send the request again', '/dashboard'],
    footnote: 'Anything unclear? Reply to this email.',
  }),
  /** Sent to a buyer who still pays, so the text must not speak of an end. */
  accessWithheld: ({ name, product, tradingViewUsername }: BuyerAccess) => ({
    subject: 'We’ve removed your TradingView access',
    paragraphs: [
      greeting(name),
      `We have removed ${product} from this TradingView account. Your subscription itself is unchanged.`,
      'To talk about it, reply to this email. You can also ask for access again on your dashboard.',
    ],
    details: [['TradingView username', inertLine(tradingViewUsername)]],
    action: toDashboard,
  }),
  accessEnded: ({ name, product, tradingViewUsername }: BuyerAccess) => ({
    subject: 'Your TradingView access has ended',
    paragraphs: [
      greeting(name),
      `${product} is no longer unlocked for this TradingView account, because the subscription behind it has ended.`,
      'You’re welcome back any time. If you think this is a mistake, reply to this email.',
    ],
    details: [['TradingView username', inertLine(tradingViewUsername)]],
    action: toDashboard,
  }),
  /** For owners who have entered no username. */
  tradingViewReminder: ({ name, product, unlocksItself }: ReminderData) => ({
    subject: 'We need your TradingView username',
    paragraphs: [
      greeting(name),
      `Your subscription is active, but ${product} isn’t unlocked yet: we need to know for which TradingView account. Open your dashboard and send us your username under “TradingView Access”.`,
      accessPromise({ unlocksItself }),
    ],
    action: toDashboard,
  }),
  tradingViewStopped: ({ because, lastError }: { because: keyof typeof stopTexts; lastError: string }) => ({
    subject: stopTexts[because].subject,
    paragraphs: [
      stopTexts[because].text,
      'Nothing is lost: open requests are in the manual queue, and everything catches up on its own.',
    ],
    details: [['What TradingView said', inertLine(lastError)]],
    action: ['Open Access', '/admin/access'],
  }),
  tradingViewStuck: ({ username, error, since }: { username: string; error: string; since: string }) => ({
    subject: `TradingView access is stuck: ${inertLine(username)}`,
    paragraphs: [
      'The shop has been trying for an hour and keeps trying for three days. You can look at what TradingView answers, try again now, or do it by hand.',
    ],
    details: [
      ['TradingView username', inertLine(username)],
      ['Since', dayInWords(since)],
      ['What happened', inertLine(error)],
    ],
    action: ['Open Access', '/admin/access'],
  }),
  tradingViewDifferences: (comparison: Comparison) => {
    const { missing, wrong, ended, foreign, blockedRemovals, mode } = comparison
    const handledCount = missing + wrong + ended - blockedRemovals
    return {
      subject: comparisonSubject(handledCount, comparison),
      paragraphs: [
        blockedRemovals > 0 &&
          `Last night’s check would have removed ${counted(blockedRemovals, 'person', 'people')} together. That’s unusual, so no one was removed. Please check, and confirm it in the admin area if it’s right.`,
        handledCount > 0 && comparisonTexts[mode],
        foreign > 0 &&
          `${counted(foreign, 'person has', 'people have')} access that this shop didn’t grant. They are only reported, never removed.`,
      ],
      details: [
        ['Missing', String(missing)],
        ['Wrong date', String(wrong)],
        ['Expired, still there', String(ended)],
        ['Added by hand', String(foreign)],
      ],
      action: ['Open Access', '/admin/access'],
    }
  },
  tradingViewPeople: ({ people }: { people: number }) => ({
    subject: `${people} people have access on TradingView`,
    paragraphs: [
      'TradingView is reported to bill authors for each person with access once there are more than 100 on the last day of a month. Please check your terms with TradingView (section 22A).',
    ],
    action: ['Open Access', '/admin/access'],
  }),
  nameNotFound: ({ name, username, similar }: { name: string; username: string; similar: string[] }) => ({
    subject: 'We can’t find your TradingView username',
    paragraphs: [
      greeting(name),
      `TradingView doesn’t know ${inertLine(username)}.${similar.length > 0 ? ` Did you mean ${similar.join(' or ')}?` : ''} You’ll find the right name on your TradingView profile. Please correct it on your dashboard.`,
      accessPromise({ unlocksItself: true }),
    ],
    action: ['Correct it', '/dashboard'],
  }),
} satisfies Templates
