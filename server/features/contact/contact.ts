import { and, desc, eq, isNotNull, isNull, lt, or, sql } from 'drizzle-orm'
import { keptSince, retention } from '#contract/retention.ts'
import type { MessageState } from '#contract/statuses.ts'
import type { Actor, User } from '../../actor.ts'
import type { Database, Transaction } from '../../database/connect.ts'
import { containing, decodeCursor, pageOf } from '../../database/cursor.ts'
import { contactMessages, users } from '../../database/schema.ts'
import { conflict, notFound } from '../../errors.ts'
import type { Audit } from '../audit/audit.ts'
import type { Mails } from '../mails/mails.ts'

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

    async forgetOld() {
      await db
        .delete(contactMessages)
        .where(lt(contactMessages.createdAt, keptSince(now(), retention.contactMessages)))
    },

    /** What was sent from the account or, if its address is proven, with it. */
    async forget(tx: Transaction, userId: string) {
      const [owner] = await tx
        .select({ email: users.email })
        .from(users)
        .where(and(eq(users.id, userId), isNotNull(users.verifiedAt)))
      await tx
        .delete(contactMessages)
        .where(
          or(eq(contactMessages.userId, userId), owner ? eq(contactMessages.email, owner.email) : undefined),
        )
      await tx.update(contactMessages).set({ answeredBy: null }).where(eq(contactMessages.answeredBy, userId))
    },

    /** Typing an address doesn't prove it's yours: only what was sent while logged in. */
    async dataOf(userId: string) {
      return { contactMessages: await stored(eq(contactMessages.userId, userId)) }
    },

    /** For the seller, who knows that typing an address proves nothing. */
    messagesFrom: (email: string) => stored(eq(contactMessages.email, email)),
  }

  function stored(which: ReturnType<typeof eq>) {
    return db
      .select({
        firstName: contactMessages.firstName,
        lastName: contactMessages.lastName,
        email: contactMessages.email,
        message: contactMessages.message,
        createdAt: contactMessages.createdAt,
        answer: contactMessages.answer,
        answeredAt: contactMessages.answeredAt,
      })
      .from(contactMessages)
      .where(which)
      .orderBy(desc(contactMessages.createdAt))
  }
}
