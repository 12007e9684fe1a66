import { auditSentence } from '#contract/admin/activity.ts'
import type { TimelineEntry } from '#contract/admin/customers.ts'
import { dayInWords } from '#contract/dates.ts'
import { deviceName } from '#contract/identity/device-name.ts'
import { exactDollars } from '#contract/money.ts'
import type { Context } from '#server/context.ts'
import { decodeCursor, type HistoryPart, type Page, pageOf } from '#server/database/cursor.ts'
import type { Areas } from '../areas.ts'

export type TimelineItem = Omit<TimelineEntry, 'at'> & { at: Date }
type Source = (userId: string, part: HistoryPart) => Promise<TimelineItem[]>
export type PageInput = { limit: number; cursor?: string | undefined }

type Timeline = (userId: string, input: PageInput) => Promise<Page<TimelineItem>>

/** Later than any entry: the year 2286. */
const farFuture = new Date(9_999_999_999_999)

export function createTimeline(
  { mails, audit }: Pick<Context, 'mails' | 'audit'>,
  { identity, selling, access, site }: Areas,
): Timeline {
  const sources = [
    createSource('purchase', selling.purchases.historyOf, ({ key, what, purchase }) => ({
      id: key,
      title: what,
      detail: `${purchase.product}, ${exactDollars(purchase.amount)} per ${purchase.period}`,
    })),
    createSource('mail', mails.sent.historyOf, ({ id, subject }) => ({ id, title: subject, mailId: id })),
    createSource('message', site.contact.historyOf, ({ id, message, wasLoggedIn }) => ({
      id,
      title: `Wrote: “${message}”`,
      detail: wasLoggedIn ? '' : 'same address, not logged in',
    })),
    createSource('access', access.core.lists.historyOf, ({ key, what, username, reason }) => ({
      id: key,
      title: what,
      detail: [username, reason].filter(Boolean).join(': '),
    })),
    createSource('login', identity.sessions.historyOf, ({ id, userAgent, ip }) => ({
      id,
      title: 'Logged in',
      detail: `${deviceName(userAgent)}, ${ip}`,
    })),
    createSource('staff', audit.historyOf, ({ id, action, by, detail }) => ({
      id,
      title: [auditSentence(action), ...detailInWords(detail)].join(', '),
      detail: by,
    })),
  ]

  return async function readTimeline(userId, { limit, cursor }) {
    const after = decodeCursor(cursor, String.raw`[\w.-]{1,80}`)
    // Reads one more than a page from each source, to know if there is a next page.
    const part = { before: after?.at ?? farFuture, limit: limit + 1 }
    const entriesBySource = await Promise.all(sources.map((readSource) => readSource(userId, part)))
    // `before` includes its moment, so entries of earlier pages may be among them.
    const entriesOnPage = entriesBySource.flat().filter((entry) => !after || isOlder(entry, after))
    const newestFirst = entriesOnPage.toSorted((a, b) => (isOlder(a, b) ? 1 : -1))
    return pageOf(newestFirst.slice(0, limit + 1), limit, ({ at, id }) => ({ at, id }))
  }
}

/** Picks amount, reason and day from an audit entry; other fields mean nothing to a reader. */
function detailInWords(detail: Record<string, unknown> | null) {
  const { amount, because, reason, until } = detail ?? {}
  const why = because ?? reason
  const words: string[] = []
  if (typeof amount === 'number') words.push(exactDollars(amount))
  if (typeof why === 'string' && why) words.push(why)
  if (typeof until === 'string') words.push(`until ${dayInWords(until)}`)
  return words
}

/** Turns a module's history into entries whose ids are unique across modules. */
function createSource<Row extends { at: Date }>(
  kind: TimelineItem['kind'],
  historyOf: (userId: string, part: HistoryPart) => Promise<Row[]>,
  describe: (row: Row) => { id: string | number; title: string; detail?: string; mailId?: string },
): Source {
  return async function readSource(userId, part) {
    const rows = await historyOf(userId, part)
    return rows.map((row) => {
      const { id, title, detail = '', mailId = null } = describe(row)
      return { id: `${kind}-${id}`, at: row.at, kind, title, detail, mailId }
    })
  }
}

const isOlder = (a: { at: Date; id: string }, b: { at: Date; id: string }) =>
  a.at.getTime() === b.at.getTime() ? a.id < b.id : a.at < b.at
