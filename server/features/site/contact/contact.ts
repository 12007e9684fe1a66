import { aliasedTable, and, desc, eq, isNotNull, isNull, lt, lte, or, sql } from 'drizzle-orm'
import type { ParsedInputOf, RawOutputOf } from '#contract/endpoint.ts'
import { retention, retentionStart } from '#contract/retention.ts'
import type { messages } from '#contract/site/messages.ts'
import type { MessageState } from '#contract/statuses.ts'
import type { Actor, User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { containing, decodeCursor, type HistoryPart, type Page, pageOf } from '#server/database/cursor.ts'
import { contactMessages, users } from '#server/database/schema.ts'
import { wordsOf } from '#server/database/text-search.ts'
import { conflict, notFound } from '#server/errors.ts'

type ContactDeps = Pick<Context, 'db' | 'now' | 'mails' | 'audit' | 'supportEmail'>

export type Contact = {
  send(actor: Actor<User | null>, message: Message): Promise<void>
  list(filter: MessageFilter): Promise<Page<RawOutputOf<typeof messages.adminList>[number]>>
  historyOf(
    userId: string,
    part: HistoryPart,
  ): Promise<{ id: string; at: Date; message: string; answer: string | null; wasLoggedIn: boolean }[]>
  /** Answers a message once, even if two members of staff answer concurrently. */
  reply(actor: Actor, id: string, answer: string): Promise<void>
  settle(actor: Actor, id: string, state: MessageState): Promise<void>
  forgetOld(): Promise<void>
  /** Messages sent with this address, which anyone could have typed. */
  messagesFrom(email: string): Promise<Message[]>
}

type Message = { firstName: string; lastName: string; email: string; message: string }
type MessageFilter = ParsedInputOf<typeof messages.adminList>

const isOpen = isNull(contactMessages.answeredAt)

/** Matches messages sent from the account or, without a login, with its email address, which anyone could have typed. */
const isFrom = (account: Pick<typeof users, 'id' | 'email'>) =>
  or(
    eq(contactMessages.userId, account.id),
    and(isNull(contactMessages.userId), eq(contactMessages.email, account.email)),
  )
const messageColumns = {
  firstName: contactMessages.firstName,
  lastName: contactMessages.lastName,
  email: contactMessages.email,
  message: contactMessages.message,
  createdAt: contactMessages.createdAt,
  answeredAt: contactMessages.answeredAt,
  answer: contactMessages.answer,
}
const answerer = aliasedTable(users, 'answerer')

export function createContact({ db, now, mails, audit, supportEmail }: ContactDeps): Contact {
  async function recordInAuditLog(
    tx: Transaction,
    actor: Actor,
    action: 'reply' | 'reopen' | 'settle',
    { id, userId }: typeof contactMessages.$inferSelect,
  ) {
    const entry = { action: `message.${action}`, subject: id } as const
    await audit.record(tx, actor, userId ? { ...entry, aboutId: userId } : entry)
  }

  return {
    async send({ user }, message) {
      await db.transaction(async (tx) => {
        await tx.insert(contactMessages).values({ ...message, userId: user?.id ?? null, createdAt: now() })
        await mails.send(tx, supportEmail, 'contactMessage', message)
      })
    },

    async list({ limit, cursor, q, state, customerId }) {
      const after = decodeCursor(cursor)
      const { id, firstName, lastName, email, message, createdAt, answeredAt } = contactMessages
      const isInState = state === 'open' ? isOpen : isNotNull(answeredAt)
      const searchText = sql`lower(concat_ws(' ', ${firstName}, ${lastName}, ${email}, ${message}))`
      const containsEachWord = wordsOf(q ?? '').map((word) => sql`${searchText} like ${containing(word)}`)
      const rows = await db
        .select({ id, ...messageColumns, customerId: users.id, answeredBy: answerer.email })
        .from(contactMessages)
        .leftJoin(users, and(isFrom(users), isNull(users.deletedAt)))
        .leftJoin(answerer, eq(answerer.id, contactMessages.answeredBy))
        .where(
          and(
            customerId ? eq(users.id, customerId) : undefined,
            state && isInState,
            ...containsEachWord,
            after && sql`(${createdAt}, ${id}) < (${after.at}, ${after.id})`,
          ),
        )
        .orderBy(desc(createdAt), desc(id))
        .limit(limit + 1)
      return pageOf(rows, limit, (row) => ({ at: row.createdAt, id: row.id }))
    },

    historyOf: (userId, { before, limit }) =>
      db
        .select({
          id: contactMessages.id,
          at: contactMessages.createdAt,
          message: contactMessages.message,
          answer: contactMessages.answer,
          wasLoggedIn: sql<boolean>`${contactMessages.userId} is not null`,
        })
        .from(contactMessages)
        .innerJoin(users, isFrom(users))
        .where(and(eq(users.id, userId), lte(contactMessages.createdAt, before)))
        .orderBy(desc(contactMessages.createdAt), desc(contactMessages.id))
        .limit(limit),

    async reply(actor, id, answer) {
      await db.transaction(async (tx) => {
        const message = await lockMessage(tx, id)
        if (message.answeredAt)
          throw conflict('already-handled', 'This message has been answered. Mark it as open to answer again.')
        await tx
          .update(contactMessages)
          .set({ answer, answeredAt: now(), answeredBy: actor.user.id })
          .where(eq(contactMessages.id, id))
        await mails.send(tx, message.email, 'contactAnswer', {
          firstName: message.firstName,
          message: message.message,
          answer,
        })
        await recordInAuditLog(tx, actor, 'reply', message)
      })
    },

    async settle(actor, id, state) {
      await db.transaction(async (tx) => {
        const message = await lockMessage(tx, id)
        const currentState: MessageState = message.answeredAt === null ? 'open' : 'answered'
        if (currentState === state) return
        const changes =
          state === 'open' ? { answeredAt: null, answeredBy: null } : { answeredAt: now(), answeredBy: actor.user.id }
        await tx.update(contactMessages).set(changes).where(eq(contactMessages.id, id))
        await recordInAuditLog(tx, actor, state === 'open' ? 'reopen' : 'settle', message)
      })
    },

    async forgetOld() {
      await db
        .delete(contactMessages)
        .where(lt(contactMessages.createdAt, retentionStart(now(), retention.contactMessages)))
    },

    messagesFrom: (email) =>
      db
        .select(messageColumns)
        .from(contactMessages)
        .where(eq(contactMessages.email, email))
        .orderBy(desc(contactMessages.createdAt)),
  }
}

async function lockMessage(tx: Transaction, id: string) {
  const [message] = await tx.select().from(contactMessages).where(eq(contactMessages.id, id)).for('update')
  if (!message) throw notFound('Message')
  return message
}
