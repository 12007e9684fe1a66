import { and, desc, eq, gte, isNull, notExists, notInArray } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { PulseEntry } from '#contract/admin/overview.ts'
import { dayMs } from '#contract/dates.ts'
import { leaveReasonTexts } from '#contract/selling/leave-reason-texts.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/connect.ts'
import { contactMessages, mrrMovements, purchases, reviews, sentMails, users } from '#server/database/schema.ts'
import { isWritten } from '#server/features/site/reviews/reviews.ts'

type PulseDeps = Pick<Context, 'db' | 'now'>

/** Events of the last 24 hours. */
export type Pulse = { today(): Promise<Entry[]> }

const maxEntries = 50

type Entry = Omit<PulseEntry, 'at'> & { at: Date }

const correction = alias(mrrMovements, 'correction')
const personColumns = { name: users.name, email: users.email }
export const nameOrEmail = ({ name, email }: { name: string; email: string }) => name || email

/** People who began or stopped paying, without corrected movements. */
export const readNewAndLostSubscribers = (db: Database, since: Date) =>
  db
    .select({
      id: mrrMovements.id,
      at: mrrMovements.at,
      kind: mrrMovements.kind,
      userId: mrrMovements.userId,
      user: personColumns,
      billingType: purchases.billingType,
      price: purchases.price,
      reason: purchases.leaveReason,
      comment: purchases.leaveComment,
    })
    .from(mrrMovements)
    .innerJoin(users, eq(users.id, mrrMovements.userId))
    .leftJoin(purchases, eq(purchases.id, mrrMovements.purchaseId))
    .where(
      and(
        gte(mrrMovements.at, since),
        notInArray(mrrMovements.kind, ['expansion', 'contraction']),
        isNull(mrrMovements.corrects),
        notExists(db.select({ id: correction.id }).from(correction).where(eq(correction.corrects, mrrMovements.id))),
      ),
    )
    .orderBy(desc(mrrMovements.at), desc(mrrMovements.id))

export function reasonInWords(reason: keyof typeof leaveReasonTexts | null, comment: string | null): string {
  const words: string[] = []
  if (reason) words.push(leaveReasonTexts[reason])
  if (comment) words.push(`“${comment}”`)
  return words.join(': ')
}

export function createPulse({ db, now }: PulseDeps): Pulse {
  async function readMovements(since: Date): Promise<Entry[]> {
    const movements = await readNewAndLostSubscribers(db, since).limit(maxEntries)
    return movements.map((row) => {
      const entry = { id: `movement ${row.id}`, at: row.at, who: nameOrEmail(row.user), customerId: row.userId }
      if (row.kind === 'churn')
        return { ...entry, kind: 'left', amount: null, detail: reasonInWords(row.reason, row.comment) }
      return { ...entry, kind: 'sale', amount: row.price, detail: row.billingType ?? '' }
    })
  }

  /** Finds cancellations by their confirmation emails, which every buyer gets. */
  async function readCancellations(since: Date): Promise<Entry[]> {
    const rows = await db
      .selectDistinctOn([sentMails.id], {
        id: sentMails.id,
        at: sentMails.sentAt,
        userId: sentMails.userId,
        user: personColumns,
        reason: purchases.leaveReason,
        comment: purchases.leaveComment,
      })
      .from(sentMails)
      .innerJoin(users, eq(users.id, sentMails.userId))
      .innerJoin(purchases, and(eq(purchases.userId, sentMails.userId), eq(purchases.status, 'pending_cancel')))
      .where(and(gte(sentMails.sentAt, since), eq(sentMails.kind, 'subscriptionWillEnd')))
      .limit(maxEntries)
    return rows.map((row) => ({
      id: `cancelled ${row.id}`,
      at: row.at,
      kind: 'cancelled',
      who: nameOrEmail(row.user),
      customerId: row.userId,
      amount: null,
      detail: reasonInWords(row.reason, row.comment),
    }))
  }

  async function readReviews(since: Date): Promise<Entry[]> {
    const rows = await db
      .select()
      .from(reviews)
      .where(and(isWritten, gte(reviews.writtenAt, since)))
      .orderBy(desc(reviews.writtenAt))
      .limit(maxEntries)
    return rows.map((row) => ({
      id: `review ${row.id}`,
      at: row.writtenAt ?? row.invitedAt,
      kind: 'review',
      who: row.author ?? 'Somebody',
      customerId: row.author === null ? null : row.userId,
      amount: null,
      detail: `${row.stars} of 5: “${row.text ?? ''}”`,
    }))
  }

  async function readMessages(since: Date): Promise<Entry[]> {
    const rows = await db
      .select()
      .from(contactMessages)
      .where(gte(contactMessages.createdAt, since))
      .orderBy(desc(contactMessages.createdAt))
      .limit(maxEntries)
    return rows.map((row) => ({
      id: `message ${row.id}`,
      at: row.createdAt,
      kind: 'message',
      who: `${row.firstName} ${row.lastName}`,
      customerId: row.userId,
      amount: null,
      detail: `“${row.message}”`,
    }))
  }

  return {
    async today() {
      const since = new Date(now().getTime() - dayMs)
      const entries = await Promise.all([
        readMovements(since),
        readCancellations(since),
        readReviews(since),
        readMessages(since),
      ])
      return entries
        .flat()
        .toSorted((a, b) => b.at.getTime() - a.at.getTime())
        .slice(0, maxEntries)
    },
  }
}
