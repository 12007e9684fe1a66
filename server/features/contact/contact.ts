import { and, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { MessageState } from '#contract/statuses.ts'
import type { Actor, User } from '../../actor.ts'
import type { Database, Transaction } from '../../database/connect.ts'
import { containing, decodeCursor, pageOf } from '../../database/cursor.ts'
import { contactMessages, users } from '../../database/schema.ts'
import { conflict, notFound } from '../../errors.ts'
import type { Audit } from '../audit/audit.ts'
import type { Mails } from '../mails/mails.ts'
import { createPersonalData } from './personal-data.ts'

type Message = { firstName: string; lastName: string; email: string; message: string }
type Wanted = {
  limit: number
  cursor?: string | undefined
  q?: string | undefined
  state?: MessageState | undefined
}
type Dependencies = {
  db: Database
  now: () => Date
  mails: Mails
  audit: Pick<Audit, 'record'>
  supportEmail: string
}

export type Contact = ReturnType<typeof createContact>

const isOpen = isNull(contactMessages.answeredAt)

/** What people write in the contact form. The seller reads and answers it here or in the mailbox. */
export function createContact({ db, now, mails, audit, supportEmail }: Dependencies) {
  async function lock(tx: Transaction, id: string) {
    const [message] = await tx.select().from(contactMessages).where(eq(contactMessages.id, id)).for('update')
    if (!message) throw notFound('Message')
    return message
  }

  const record = (
    tx: Transaction,
    actor: Actor,
    action: string,
    message: typeof contactMessages.$inferSelect,
  ) =>
    audit.record(tx, actor, {
      action: `message.${action}`,
      subject: message.id,
      ...(message.userId ? { aboutId: message.userId } : {}),
    })

  return {
    ...createPersonalData({ db, now }),

    async send({ user }: Actor<User | null>, message: Message) {
      await db.transaction(async (tx) => {
        await tx.insert(contactMessages).values({ ...message, userId: user?.id ?? null, createdAt: now() })
        await mails.send(tx, supportEmail, 'contactMessage', message)
      })
    },

    async list({ limit, cursor, q, state }: Wanted) {
      const after = decodeCursor(cursor)
      const { id, firstName, lastName, email, message, createdAt, userId, answeredAt, answer } =
        contactMessages
      const rows = await db
        .select({
          id,
          firstName,
          lastName,
          email,
          message,
          createdAt,
          userId,
          answeredAt,
          answer,
          answeredBy: users.email,
        })
        .from(contactMessages)
        .leftJoin(users, eq(users.id, contactMessages.answeredBy))
        .where(
          and(
            state && (state === 'open' ? isOpen : isNotNull(answeredAt)),
            q
              ? sql`lower(concat_ws(' ', ${firstName}, ${lastName}, ${email}, ${message})) like ${containing(q)}`
              : undefined,
            after && sql`(${createdAt}, ${id}) < (${after.at}, ${after.id})`,
          ),
        )
        .orderBy(desc(createdAt), desc(id))
        .limit(limit + 1)
      return pageOf(rows, limit, (row) => ({ at: row.createdAt, id: row.id }))
    },

    /** Once: two admins who answer at the same moment would confuse the sender. */
    async reply(actor: Actor, id: string, answer: string) {
      await db.transaction(async (tx) => {
        const message = await lock(tx, id)
        if (message.answeredAt)
          throw conflict('This message has been answered. Mark it as open to answer again.')
        await tx
          .update(contactMessages)
          .set({ answer, answeredAt: now(), answeredBy: actor.user.id })
          .where(eq(contactMessages.id, id))
        await mails.send(tx, message.email, 'contactAnswer', {
          firstName: message.firstName,
          message: message.message,
          answer,
        })
        await record(tx, actor, 'reply', message)
      })
    },

    async settle(actor: Actor, id: string, state: MessageState) {
      await db.transaction(async (tx) => {
        const message = await lock(tx, id)
        if ((message.answeredAt === null) === (state === 'open')) return
        await tx
          .update(contactMessages)
          .set(
            state === 'open'
              ? { answeredAt: null, answeredBy: null }
              : { answeredAt: now(), answeredBy: actor.user.id },
          )
          .where(eq(contactMessages.id, id))
        await record(tx, actor, state === 'open' ? 'reopen' : 'settle', message)
      })
    },
  }
}
