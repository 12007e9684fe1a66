import { auditSentence } from '#contract/desk/activity.ts'
import type { TimelineEntry } from '#contract/desk/customers.ts'
import { deviceName } from '#contract/identity/device-name.ts'
import { exactDollars } from '#contract/money.ts'
import { billingPeriods } from '#contract/statuses.ts'
import type { Audit } from '#server/audit/audit.ts'
import { decodeCursor, type HistoryPart, pageOf } from '#server/database/cursor.ts'
import type { AccessRoom } from '#server/features/access/access/access.ts'
import type { Sessions } from '#server/features/identity/sessions/sessions.ts'
import type { Purchases } from '#server/features/selling/purchases/purchases.ts'
import type { Contact } from '#server/features/site/contact/contact.ts'
import type { Mails } from '#server/mails/mails.ts'

type Rooms = {
  purchases: Pick<Purchases, 'historyOf'>
  mails: Pick<Mails, 'sent'>
  contact: Pick<Contact, 'historyOf'>
  access: Pick<AccessRoom, 'lists'>
  sessions: Pick<Sessions, 'historyOf'>
  audit: Pick<Audit, 'historyOf'>
}
type Entry = Omit<TimelineEntry, 'at'> & { at: Date }
type Source = (userId: string, part: HistoryPart) => Promise<Entry[]>
type Page = { limit: number; cursor?: string | undefined }

/** Far enough ahead of any clock. */
const forever = new Date(9_999_999_999_999)

/** Everything that happened with a customer: each room tells what it knows, newest first. */
export function createTimeline(rooms: Rooms) {
  const sources = [
    source('purchase', rooms.purchases.historyOf, ({ key, what, purchase }) => ({
      id: key,
      title: what,
      detail: `${purchase.product}, ${exactDollars(purchase.amount)} per ${billingPeriods[purchase.billingType]}`,
    })),
    source('mail', rooms.mails.sent.historyOf, ({ id, subject }) => ({ id, title: subject, mailId: id })),
    source('message', rooms.contact.historyOf, ({ id, message, wasLoggedIn }) => ({
      id,
      title: `Wrote: “${message}”`,
      detail: wasLoggedIn ? '' : 'same address, not logged in',
    })),
    source('access', rooms.access.lists.historyOf, ({ key, what, username, reason }) => ({
      id: key,
      title: what,
      detail: [username, reason].filter(Boolean).join(': '),
    })),
    source('login', rooms.sessions.historyOf, ({ id, userAgent, ip }) => ({
      id,
      title: 'Logged in',
      detail: `${deviceName(userAgent)}, ${ip}`,
    })),
    source('staff', rooms.audit.historyOf, ({ id, action, by }) => ({
      id,
      title: auditSentence(action),
      detail: by,
    })),
  ]

  return async (userId: string, { limit, cursor }: Page) => {
    const after = decodeCursor(cursor, String.raw`[\w.-]{1,80}`)
    // One more than fits, of each: whatever is left over belongs to a later page.
    const part = { before: after?.at ?? forever, limit: limit + 1 }
    const found = (await Promise.all(sources.map((read) => read(userId, part)))).flat()
    const entries = found
      .filter((entry) => !after || isOlder(entry, after))
      .toSorted((a, b) => (isOlder(a, b) ? 1 : -1))
    return pageOf(entries.slice(0, limit + 1), limit, ({ at, id }) => ({ at, id }))
  }
}

/** Makes entries of one kind from what a room tells. */
function source<Row extends { at: Date }>(
  kind: Entry['kind'],
  historyOf: (userId: string, part: HistoryPart) => Promise<Row[]>,
  describe: (row: Row) => { id: string | number; title: string; detail?: string; mailId?: string },
): Source {
  return async (userId, part) =>
    (await historyOf(userId, part)).map((row) => {
      const { id, title, detail = '', mailId = null } = describe(row)
      return { id: `${kind}-${id}`, at: row.at, kind, title, detail, mailId }
    })
}

const isOlder = (a: { at: Date; id: string }, b: { at: Date; id: string }) =>
  a.at.getTime() === b.at.getTime() ? a.id < b.id : a.at < b.at
