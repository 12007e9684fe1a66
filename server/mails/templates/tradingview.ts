import { whenAccessComes } from '#contract/access/promise.ts'
import { inertLine } from '../inert.ts'
import { day, greeting, type Template } from '../template.ts'

const counted = (count: number, one: string, many: string) => (count === 1 ? `1 ${one}` : `${count} ${many}`)

const stops = {
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

const tradingViewStopped: Template<{ because: keyof typeof stops; lastError: string }> = (
  { because, lastError },
  { publicUrl },
) => ({
  subject: stops[because].subject,
  preheader: 'Requests go to the manual queue until it works again.',
  heading: stops[because].subject,
  paragraphs: [
    stops[because].text,
    'Nothing is lost: open requests are in the manual queue, and everything catches up on its own.',
  ],
  details: [['What TradingView said', lastError]],
  action: { label: 'Open Access', url: `${publicUrl}/admin/access` },
})

const tradingViewStuck: Template<{ username: string; error: string; since: string }> = (
  { username, error, since },
  { publicUrl },
) => ({
  subject: `TradingView access is stuck: ${username}`,
  preheader: 'The shop keeps trying; you can help.',
  heading: 'One person is stuck',
  paragraphs: [
    'The shop has been trying for an hour and keeps trying for three days. You can look at what TradingView answers, try again now, or do it by hand.',
  ],
  details: [
    ['TradingView username', username],
    ['Since', day(since)],
    ['What happened', error],
  ],
  action: { label: 'Open Access', url: `${publicUrl}/admin/access` },
})

const tradingViewDifferences: Template<{
  missing: number
  wrong: number
  ended: number
  foreign: number
  heldBack: number
  people: number
}> = ({ missing, wrong, ended, foreign, heldBack, people }, { publicUrl }) => ({
  subject: heldBack
    ? `${heldBack} of ${people} people would lose access. Please check.`
    : `Overnight sync: ${counted(missing + wrong + ended, 'fix', 'fixes')}`,
  preheader: heldBack ? 'No one has lost access so far.' : 'The shop has fixed what it could.',
  heading: heldBack ? 'Please check before so many lose access' : 'Overnight sync',
  paragraphs: [
    heldBack > 0 &&
      `Last night’s check would have removed ${counted(heldBack, 'person', 'people')} together. That’s unusual, so no one was removed. Please check, and confirm it in the admin area if it’s right.`,
    missing + wrong + ended > 0 &&
      'The shop compared every list with what’s been paid for and fixed the differences.',
    foreign > 0 &&
      `${counted(foreign, 'person has', 'people have')} access that this shop didn’t grant. They are only reported, never removed.`,
  ].filter((text) => text !== false),
  details: [
    ['Missing', String(missing)],
    ['Wrong date', String(wrong)],
    ['Expired, still there', String(ended)],
    ['Added by hand', String(foreign)],
  ],
  action: { label: 'Open Access', url: `${publicUrl}/admin/access` },
})

const tradingViewSeats: Template<{ people: number; limit: number | null }> = (
  { people, limit },
  { publicUrl },
) => ({
  subject: `${people} people have access on TradingView`,
  preheader: 'TradingView may bill above 100 people: check your terms.',
  heading: `${people} people have access`,
  paragraphs: [
    'TradingView is reported to bill authors for each person with access once there are more than 100 on the last day of a month. Please check your terms with TradingView (section 22A).',
    limit === null
      ? 'You can set a seat limit in the admin area; after that, people join a waiting list.'
      : `Your limit is ${counted(limit, 'seat', 'seats')}; after that, people join a waiting list.`,
  ],
  action: { label: 'Open Access', url: `${publicUrl}/admin/access` },
})

/** To the buyer: only they know their username. */
const nameNotFound: Template<{ name: string; username: string; similar: string[] }> = (
  { name, username, similar },
  { publicUrl },
) => ({
  subject: 'We can’t find your TradingView username',
  preheader: 'Please correct it on your dashboard.',
  heading: 'One step left',
  paragraphs: [
    greeting(name),
    `TradingView doesn’t know ${inertLine(username)}.${similar.length > 0 ? ` Did you mean ${similar.join(' or ')}?` : ''} You’ll find the right name on your TradingView profile. Please correct it on your dashboard.`,
    // Only the connector looks for it.
    whenAccessComes({ unlocksItself: true }),
  ],
  action: { label: 'Correct it', url: `${publicUrl}/dashboard` },
})

const seatFree: Template<{ product: string; slug: string }> = ({ product, slug }, { publicUrl }) => ({
  subject: `A seat for ${product} is free`,
  preheader: 'You asked us to tell you.',
  heading: 'A seat is free',
  paragraphs: [
    `You asked us to tell you when there’s a seat for ${product}. There is one now; it goes to whoever takes it first.`,
  ],
  action: { label: 'Take the seat', url: `${publicUrl}/products/${slug}` },
  footnote: 'We won’t write to you about this again.',
})

export const tradingViewMails = {
  tradingViewStopped,
  tradingViewStuck,
  tradingViewDifferences,
  tradingViewSeats,
  nameNotFound,
  seatFree,
}
