import { auditSentence } from '#contract/desk/audit-actions.ts'
import type { TimelineEntry } from '#contract/desk/customers.ts'
import { deviceName } from '#contract/identity/device-name.ts'
import { exactDollars } from '#contract/money.ts'
import { billingPeriods } from '#contract/statuses.ts'
import type { Audit } from '#server/audit/audit.ts'
import { decodeCursor, pageOf } from '#server/database/cursor.ts'
import type { Stretch } from '#server/database/stretch.ts'
import type { AccessRequests } from '#server/features/access/access-requests/access-requests.ts'
import type { Sessions } from '#server/features/identity/sessions/sessions.ts'
import type { Purchases } from '#server/features/selling/purchases/purchases.ts'
import type { Contact } from '#server/features/site/contact/contact.ts'
import type { Mails } from '#server/mails/mails.ts'

type Rooms = {
  purchases: Pick<Purchases, 'historyOf'>
  mails: Pick<Mails, 'historyOf'>
  contact: Pick<Contact, 'historyOf'>
  accessRequests: Pick<AccessRequests, 'historyOf'>
  sessions: Pick<Sessions, 'historyOf'>
  audit: Pick<Audit, 'historyOf'>
}
type Entry = Omit<TimelineEntry, 'at'> & { at: Date }
type Page = { limit: number; cursor?: string | undefined }

/** Far enough ahead of any clock. */
const forever = new Date(9_999_999_999_999)

/** Everything that happened with a customer: each room tells what it knows, newest first. */
export function createTimeline(rooms: Rooms) {
  const sources: ((userId: string, stretch: Stretch) => Promise<Entry[]>)[] = [
    async (userId, stretch) =>
      (await rooms.purchases.historyOf(userId, stretch)).map(({ key, at, what, purchase }) => ({
        ...nothingMore,
        id: `purchase-${key}`,
        at,
        kind: 'purchase',
        title: what,
        detail: `${purchase.product}, ${exactDollars(purchase.amount)} per ${billingPeriods[purchase.billingType]}`,
      })),
    async (userId, stretch) =>
      (await rooms.mails.historyOf(userId, stretch)).map(({ id, at, subject }) => ({
        ...nothingMore,
        id: `mail-${id}`,
        at,
        kind: 'mail',
        title: subject,
        mailId: id,
      })),
    async (userId, stretch) =>
      (await rooms.contact.historyOf(userId, stretch)).map(({ id, at, message, wasLoggedIn }) => ({
        ...nothingMore,
        id: `message-${id}`,
        at,
        kind: 'message',
        title: `Wrote: “${message}”`,
        detail: wasLoggedIn ? '' : 'same address, not logged in',
      })),
    async (userId, stretch) =>
      (await rooms.accessRequests.historyOf(userId, stretch)).map(({ key, at, what, username, reason }) => ({
        ...nothingMore,
        id: `access-${key}`,
        at,
        kind: 'access',
        title: what,
        detail: [username, reason].filter(Boolean).join(': '),
      })),
    async (userId, stretch) =>
      (await rooms.sessions.historyOf(userId, stretch)).map(({ id, at, userAgent, ip }) => ({
        ...nothingMore,
        id: `login-${id}`,
        at,
        kind: 'login',
        title: 'Logged in',
        detail: `${deviceName(userAgent)}, ${ip}`,
      })),
    async (userId, stretch) =>
      (await rooms.audit.historyOf(userId, stretch)).map(({ id, at, action, by }) => ({
        ...nothingMore,
        id: `staff-${id}`,
        at,
        kind: 'staff',
        title: auditSentence(action),
        detail: by,
      })),
  ]

  return async (userId: string, { limit, cursor }: Page) => {
    const after = decodeCursor(cursor, String.raw`[\w.-]{1,80}`)
    // One more than fits, of each: whatever is left over belongs to a later page.
    const stretch = { before: after?.at ?? forever, limit: limit + 1 }
    const found = (await Promise.all(sources.map((source) => source(userId, stretch)))).flat()
    const entries = found
      .filter((entry) => !after || isOlder(entry, after))
      .toSorted((a, b) => (isOlder(a, b) ? 1 : -1))
    return pageOf(entries.slice(0, limit + 1), limit, ({ at, id }) => ({ at, id }))
  }
}

const nothingMore = { detail: '', mailId: null }

const isOlder = (a: { at: Date; id: string }, b: { at: Date; id: string }) =>
  a.at.getTime() === b.at.getTime() ? a.id < b.id : a.at < b.at
